// The page's keys, and the sheet that lists them.
import { h } from "./dom";

export interface Key { keys: string[]; does: string; run: (e: KeyboardEvent) => void; shown?: string }

let bound: Key[] = [];

/** bind sets the keys of the page and drops those of the page before. */
export function bind(keys: Key[]): void {
  bound = [...keys, { keys: ["?"], does: "This list", run: help }];
}

/** listen starts to listen. Keys that are typed into a field or a live terminal are not the page's. */
export function listen(): void {
  addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
    const target = e.target instanceof Element ? e.target : document.body;
    const field = target.closest("input:not([type=range]), textarea:not(.xterm-helper-textarea), select, .now");
    if (field && !(e.key === "Escape" && !field.matches(".typing"))) return;
    if ((e.key === " " || e.key === "Enter") && target.closest("button, a, summary, select")) return;
    if (e.key.startsWith("Arrow") && target.closest("input, .screen, pre")) return;
    const key = bound.find((k) => k.keys.includes(e.key));
    if (!key) return;
    e.preventDefault();
    key.run(e);
  });
}

/** help shows the keys. */
export function help(): void {
  const rows = bound.map((k) => h("div", {}, h("dt", {}, ...(k.shown ? [k.shown] : k.keys).map((name) => h("kbd", {}, name === " " ? "space" : name))), h("dd", {}, k.does)));
  const dialog = h("dialog", { class: "sheet", "aria-label": "Keys", onclose: () => dialog.remove(), onclick: (e: MouseEvent) => e.target === dialog && dialog.close() },
    h("h2", {}, "Keys"), h("dl", {}, ...rows), h("form", { method: "dialog" }, h("button", { class: "button" }, "Close")));
  document.body.append(dialog);
  dialog.showModal();
}
