// Share a team's session by a link.
import * as api from "./api";
import { fill, h, toast } from "./dom";
import { full, plural } from "./format";

const days: Record<string, string> = { "1": "1 day", "7": "7 days", "30": "30 days", "366": "a year" };

/** invite opens a dialog that makes links to a session, and makes those that there are void. */
export function invite(s: api.Session): void {
  const time = h("select", { name: "days" }, ...Object.entries(days).map(([value, text]) => h("option", { value, selected: value === "7" }, text)));
  const anyone = h("input", { type: "checkbox", name: "anyone" });
  const made = h("div", { class: "line", hidden: true }), said = h("p", { role: "status" }), bad = h("p", { class: "bad", role: "alert", hidden: true });
  const attempt = async (what: () => Promise<void>): Promise<void> => {
    bad.hidden = true;
    try {
      await what();
    } catch (e) {
      bad.hidden = false;
      fill(bad, (e as Error).message);
    }
  };
  const make = (): Promise<void> => attempt(async () => {
    const link = await api.link(s.id, Number(time.value) * 86400, anyone.checked);
    const address = new URL(link.path, location.origin).href;
    const field = h("input", { readOnly: true, value: address, "aria-label": "The link", onfocus: () => field.select() });
    fill(made, field, h("button", { type: "button", class: "button", onclick: () => void navigator.clipboard.writeText(address).then(() => toast("Copied"), () => field.select()) }, "Copy"));
    made.hidden = false;
    fill(said, `It opens this session ${link.anyone ? "for anyone who has it" : "for people who have signed in"}, until ${full(link.expires_at)}. It is not shown again.`);
    field.focus();
  });
  const revoke = (): Promise<void> => attempt(async () => {
    const n = await api.revoke(s.id);
    made.hidden = true;
    fill(said, n ? `${plural(n, "link")} to this session ${n === 1 ? "is" : "are"} void now.` : "There is no link to this session.");
  });
  const form = h("form", { onsubmit: (e: Event) => { e.preventDefault(); void make(); } },
    h("label", { class: "field" }, h("span", {}, "Valid for"), time),
    h("fieldset", { class: "kinds" }, h("legend", {}, "Opens for"), h("label", {}, anyone, " Anyone who has it, without a token, if this server lets them")), made, said, bad,
    h("div", { class: "line" }, h("button", { type: "button", class: "button danger", onclick: () => void revoke() }, "Revoke all links"), h("span", { class: "gap" }),
      h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Close"), h("button", { class: "button strong" }, "Make a link")));
  const dialog = h("dialog", { class: "sheet", "aria-label": "Share the session", onclose: () => dialog.remove() }, h("h2", {}, "Share this session"), h("p", {}, "A link opens this session, and nothing else, also for people who may not read it otherwise."), form);
  document.body.append(dialog);
  dialog.showModal();
}
