// Your turn: which agents began to wait while the reader looked elsewhere, and the browser's notifications of them.
import type { Session } from "./api";
import { stateOf } from "./badge";
import { h, icon, toast } from "./dom";
import { folder } from "./format";

const long = 20_000; // ms: a turn that took less is not told, as `[notify] after` has it
const kept = "ptyrec.notify"; // in localStorage: "on"

const inTurn = (state: string): boolean => state === "busy" || state === "asking";

interface Seen { state: string; since: number }

/** Turns follows what agents do. told is called for each that began to wait while nobody looked. */
export class Turns {
  private seen = new Map<string, Seen>();
  private waiting = new Set<string>();

  constructor(private hidden: () => boolean = () => document.visibilityState === "hidden", private told: (s: Session, state: string) => void = tell, private now: () => number = Date.now) {}

  /** see takes the sessions as they are now. Of one that is seen for the first time nothing is told. */
  see(sessions: Session[]): void {
    for (const s of sessions) {
      const state = stateOf(s), before = this.seen.get(s.id);
      if (before?.state === state) continue;
      this.seen.set(s.id, { state, since: before && inTurn(before.state) && inTurn(state) ? before.since : this.now() });
      if (state !== "asking" && state !== "idle") this.waiting.delete(s.id);
      if (!before || !this.hidden()) continue;
      const finished = state === "idle" && inTurn(before.state) && this.now() - before.since >= long;
      if (state !== "asking" && !finished) continue;
      this.waiting.add(s.id);
      this.told(s, state);
    }
  }

  /** count is how many wait since the reader looked elsewhere. */
  get count(): number {
    return this.waiting.size;
  }

  /** looked is called when the reader is back. */
  looked(): void {
    this.waiting.clear();
  }
}

/** wordsOf says what an agent waits for, without what was said. */
export function wordsOf(s: Session, state: string): string {
  const agent = s.state?.agent || s.agents.at(-1)?.name || "the agent";
  return `${agent} ${state === "asking" ? "asks for approval" : "has finished"}${s.cwd ? `, in ${folder(s.cwd)}` : ""}`;
}

const can = (): boolean => typeof Notification !== "undefined" && isSecureContext;
/** on reports whether the reader wants notifications, and the browser shows them. */
export const on = (): boolean => can() && Notification.permission === "granted" && localStorage.getItem(kept) === "on";

// tell shows a notification, if the reader asked for them.
function tell(s: Session, state: string): void {
  if (!on()) return;
  const n = new Notification("ptyrec", { body: wordsOf(s, state), tag: s.id });
  n.onclick = () => {
    focus();
    if (!location.pathname.startsWith(`/s/${s.id}`)) location.assign(`/s/${s.id}`);
    n.close();
  };
}

/** bell is the button that switches notifications on and off; null where the browser has none. */
export function bell(): HTMLElement | null {
  if (!can()) return null;
  const el = h("button", { type: "button", class: "quiet bell" }, icon("bell"));
  const draw = (): void => {
    el.setAttribute("aria-pressed", String(on()));
    el.title = on() ? "Notifications are on: an agent waits for you" : "Notify me when an agent waits for me";
    el.setAttribute("aria-label", "Notify me when an agent waits");
  };
  el.onclick = async () => {
    if (on()) localStorage.removeItem(kept);
    else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(kept, "on");
    else toast("The browser does not allow this page to notify you", true);
    draw();
  };
  draw();
  return el;
}
