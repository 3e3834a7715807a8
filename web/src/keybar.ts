// The keys that a phone has not.
import { h } from "./dom";
import type { Screen } from "./screen";

const fixed: [string, string, string][] = [["esc", "\x1b", "esc"], ["tab", "\t", "tab"]];
const arrows: [string, string, string][] = [["←", "D", "Left"], ["↑", "A", "Up"], ["↓", "B", "Down"], ["→", "C", "Right"]];

/** keybar puts keys under a terminal; Ctrl holds for the next key. send gets what was typed, through the bar or not. */
export function keybar(screen: Screen, send: (keys: Uint8Array) => void): HTMLElement {
  const bytes = new TextEncoder();
  const ctrl = h("button", { type: "button", "aria-pressed": "false", onclick: () => ctrl.setAttribute("aria-pressed", String(ctrl.getAttribute("aria-pressed") !== "true")) }, "ctrl");
  screen.onkeys = (keys) => {
    const held = ctrl.getAttribute("aria-pressed") === "true" && keys.length === 1 && keys[0]! >= 0x3f;
    if (held) ctrl.setAttribute("aria-pressed", "false");
    send(held ? Uint8Array.of(keys[0]! & 0x1f) : keys);
  };
  const key = ([text, code, name]: [string, string, string], make = (): string => code): HTMLElement => h("button", { type: "button", "aria-label": name, onclick: () => send(bytes.encode(make())) }, text);
  return h("div", { class: "keybar", role: "toolbar", "aria-label": "Keys", onpointerdown: (e: Event) => e.preventDefault() }, // the terminal keeps the focus, and the phone its keyboard
    ...fixed.map((k) => key(k)), ctrl, ...arrows.map((k) => key(k, () => (screen.term.modes.applicationCursorKeysMode ? "\x1bO" : "\x1b[") + k[1])), key(["⏎", "\r", "Enter"]));
}
