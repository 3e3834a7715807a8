// Download a part of a session, as the flags of `ptyrec export` choose it.
import * as api from "./api";
import { fill, h } from "./dom";

const kinds = { prompts: "Prompts", replies: "Replies", tools: "Tools", thinking: "Thinking", commands: "Agents' commands", shell: "Shell lines", system: "Notices" };

/** share opens a dialog that downloads a part of a session. formats are names by format; save gets the file. */
export function share(id: string, formats: Record<string, string>, save: (file: Response, ending: string) => Promise<void>): void {
  const from = h("input", { name: "from", placeholder: "12, 90s or 1:30", autocomplete: "off", spellcheck: false });
  const to = h("input", { name: "to", placeholder: "the end", autocomplete: "off", spellcheck: false });
  const format = h("select", { name: "format" }, ...Object.entries({ ...formats, film: "Film (animated SVG)", diff: "Diff of the changes" }).map(([value, name]) => h("option", { value }, name)));
  const boxes = Object.entries(kinds).map(([kind, name]) => ({ kind, box: h("input", { type: "checkbox", name: kind }), name }));
  const said = h("p", { class: "bad", role: "alert", hidden: true });
  const download = async (): Promise<void> => {
    const film = format.value === "film", only = boxes.filter((b) => b.box.checked).map((b) => b.kind).join(",");
    try {
      await save(await api.file(id, film ? "svg" : format.value, { ...(from.value && { from: from.value.trim() }), ...(to.value && { to: to.value.trim() }), ...(only && { only }), ...(film && { animate: true }) }), film ? "svg" : format.value);
      dialog.close();
    } catch (e) {
      said.hidden = false;
      fill(said, (e as Error).message);
    }
  };
  const field = (title: string, hint: string, input: HTMLElement): HTMLElement => h("label", { class: "field" }, h("span", {}, title), input, hint && h("small", {}, hint));
  const form = h("form", { onsubmit: (e: Event) => { e.preventDefault(); void download(); } },
    field("From", "The number of an entry, or a time since the start.", from), field("To", "", to), field("As", "", format),
    h("fieldset", { class: "kinds" }, h("legend", {}, "Only"), ...boxes.map((b) => h("label", {}, b.box, ` ${b.name}`))), said,
    h("div", { class: "line" }, h("span", { class: "gap" }), h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Cancel"), h("button", { class: "button strong" }, "Download")));
  const dialog = h("dialog", { class: "sheet", "aria-label": "Download a part", onclose: () => dialog.remove() }, h("h2", {}, "Download a part"), h("p", {}, "Nothing else of the session is in the file: a recording is redrawn, without what was said before and after."), form);
  document.body.append(dialog);
  dialog.showModal();
}
