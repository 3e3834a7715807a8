// What the reader says of a session: its name, tags and a note. And its end.
import * as api from "./api";
import { fill, h, toast } from "./dom";
import { plural, size, titleOf } from "./format";

/** edit opens a dialog in which a session is renamed, tagged, noted and deleted. changed is told what it is then, undefined if it is no more. */
export function edit(s: api.Session, changed: (s: api.Session | undefined) => void): void {
  const name = h("input", { name: "name", value: s.name ?? "", placeholder: titleOf(s), maxLength: 500 });
  const tags = h("input", { name: "tags", value: (s.tags ?? []).join(" "), placeholder: "bug release", autocapitalize: "off", spellcheck: false });
  const note = h("textarea", { name: "note", value: s.note ?? "", rows: 4, maxLength: 5000 });
  const said = h("p", { class: "bad", role: "alert", hidden: true });
  const attempt = async (what: () => Promise<void>): Promise<void> => {
    try {
      await what();
      dialog.close();
    } catch (e) {
      said.hidden = false;
      fill(said, (e as Error).message);
    }
  };
  const save = (): Promise<void> => attempt(async () => {
    const before = s.tags ?? [], now = tags.value.split(/[\s,]+/).filter(Boolean);
    changed(await api.label(s.id, {
      ...(name.value !== (s.name ?? "") && { name: name.value.trim() }), ...(note.value !== (s.note ?? "") && { note: note.value }),
      add_tags: now.filter((t) => !before.includes(t)), remove_tags: before.filter((t) => !now.includes(t)),
    }));
  });
  const field = (title: string, hint: string, input: HTMLElement): HTMLElement => h("label", { class: "field" }, h("span", {}, title), input, hint && h("small", {}, hint));
  const form = h("form", { onsubmit: (e: Event) => { e.preventDefault(); void save(); } },
    field("Name", "Left empty, the session is called by its title.", name), field("Tags", "Words, with blanks between them.", tags), field("Note", "", note), said,
    h("div", { class: "line" }, s.status !== "live" && h("button", { type: "button", class: "button danger", onclick: () => confirm() }, "Delete…"), h("span", { class: "gap" }),
      h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Cancel"), h("button", { class: "button strong" }, "Save")));
  const confirm = (): void => {
    const keep = h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Keep it");
    fill(dialog, h("h2", {}, "Delete this session?"), h("p", {}, h("b", {}, titleOf(s))), h("p", {}, `${plural(s.messages, "message")} and ${size(s.raw_bytes)} of recording are deleted from the database. This cannot be undone.`), said,
      h("div", { class: "line" }, h("button", { type: "button", class: "button danger", onclick: () => void attempt(async () => {
        await api.remove(s.id);
        toast("The session is deleted");
        changed(undefined);
      }) }, "Delete"), h("span", { class: "gap" }), keep));
    said.hidden = true;
    keep.focus();
  };
  const dialog = h("dialog", { class: "sheet", "aria-label": "Edit the session", onclose: () => dialog.remove() }, h("h2", {}, "Name, tags, note"), form);
  document.body.append(dialog);
  dialog.showModal();
}
