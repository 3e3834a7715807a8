// What an agent does, as a pill, in the window's title and on its icon.
import type { Session } from "./api";
import { h } from "./dom";

const colours: Record<string, string> = { busy: "#f0a020", idle: "#2fb46b", asking: "#e5484d", live: "#2fb46b" };
const words: Record<string, string> = { busy: "working", idle: "waiting", asking: "asks you", live: "live", ended: "ended", interrupted: "cut off" };

/** stateOf says in one word what a session does. */
export function stateOf(s: Pick<Session, "status" | "state">): string {
  return s.status === "live" ? s.state?.state || "live" : s.status;
}

/** pill shows a state. */
export const pill = (state: string): HTMLElement => h("span", { class: `pill ${state}` }, h("i", { "aria-hidden": "true" }), words[state] ?? state);

/** announce puts a state into the window's title and on its icon; with how many agents wait since the reader looked elsewhere. */
export function announce(title: string, state = "", waiting = 0): void {
  const word = (waiting ? `(${waiting}) ` : "") + (state === "busy" ? "● " : state === "asking" ? "❓ " : waiting ? "✓ " : "");
  const app = navigator as Navigator & { setAppBadge?(n: number): Promise<void>; clearAppBadge?(): Promise<void> };
  void (waiting ? app.setAppBadge?.(waiting) : app.clearAppBadge?.())?.catch(() => {}); // on the icon of an installed page
  document.title = `${word}${title} · ptyrec`;
  const dot = colours[state] ? `<circle cx="25" cy="7" r="6.500" fill="${colours[state]}" stroke="#fff" stroke-width="1.500"/>` : "";
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#17171c"/><path d="M8 10l6 6-6 6" fill="none" stroke="#f4f4f5" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/><path d="M17 22h7" stroke="#f4f4f5" stroke-width="3" stroke-linecap="round"/>${dot}</svg>`;
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link) link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

