// Who may type: the reader, programs, and who else is there.
import type { Control } from "./api";
import { fill, h, icon, toast } from "./dom";
import { clock, full } from "./format";
import type { Live } from "./live";
import type { Screen } from "./screen";

/** ControlBar is shown under a live terminal. Readers take and release control here, and let programs type. */
export class ControlBar {
  readonly el = h("div", { class: "control", role: "group", "aria-label": "Control" });
  private state: Control = { viewers: [] };
  private me = "";
  private typing = false;
  private released = false; // by the reader himself
  private timer = setInterval(() => this.count(), 1000);
  private left?: HTMLElement; // of the grant, when it has an end

  constructor(private live: Live, private screen: Screen, private write: boolean) {
    this.draw();
  }

  close(): void {
    clearInterval(this.timer);
    this.screen.typing(false);
    this.el.remove();
  }

  /** set takes what the session says; me is the reader's own id among its viewers. */
  set(state: Control, me: string): void {
    this.state = { ...state, viewers: state.viewers ?? [] };
    this.me = me;
    const typing = this.state.viewers.some((v) => v.id === me && v.control);
    if (typing !== this.typing) {
      this.typing = typing;
      this.screen.typing(typing);
      if (!typing && !this.released) toast(state.reason ? `Read-only now: ${state.reason}` : "Read-only now");
    }
    this.draw();
  }

  /** lost takes note that nothing typed would arrive. */
  lost(): void {
    if (this.typing) this.set({ viewers: [], reason: "the connection was lost" }, this.me);
  }

  /** focus goes to the button that takes control: one key more, so that nobody takes it by mistake. */
  focus(): void {
    this.el.querySelector<HTMLElement>(".button.strong")?.focus();
  }

  /** refuse explains to a reader who types without control why nothing happens. */
  refuse(): void {
    if (!document.querySelector(".toast")) toast(this.write ? "Read-only: take control to type" : "Read-only: without the token nobody types");
  }

  /** ask asks the session for a change; what it refuses is shown. */
  ask(action: string, seconds = 0): void {
    this.released = action === "release";
    this.live.control(action, seconds).catch((e: Error) => toast(e.message, true));
  }

  private draw(): void {
    const { viewers, grant } = this.state;
    const mine = this.typing
      ? [h("span", { class: "who typing" }, icon("key"), h("b", {}, "You type"), h("small", { class: "wideonly" }, "Ctrl+] gives back")), h("button", { type: "button", class: "button", title: "Make the session's window as large as this pane", onclick: () => this.fit() }, "Fit window"), h("button", { type: "button", class: "button", onclick: () => this.ask("release") }, "Release")]
      : [h("span", { class: "who" }, icon("lock"), "Read-only"), this.write ? h("button", { type: "button", class: "button strong", onclick: () => this.ask("take") }, "Take control") : h("small", {}, "no token to write")];
    this.left = grant?.until ? h("span", { class: "left" }) : undefined;
    const programs = grant
      ? [h("span", { class: "who granted", title: `granted by ${grant.by}, ${full(grant.at)}` }, "Programs may type", this.left ?? null), h("button", { type: "button", class: "button danger", disabled: !this.write, onclick: () => this.ask("revoke") }, "Revoke")]
      : [this.write ? menu("Let programs type", ...([["for 1 minute", 60], ["for 10 minutes", 600], ["for 1 hour", 3600], ["until I revoke it", 0]] as const).map(([text, s]) => h("button", { type: "button", onclick: () => this.ask("grant", s) }, text))) : null];
    const people = menu(String(viewers.length), ...viewers.map((v) => h("div", { class: "viewer", title: full(v.since) }, h("span", {}, v.name, v.id === this.me ? " (this page)" : ""), h("small", {}, `${v.kind === "agent" ? "program" : "person"}${v.control ? ", types" : ""}`))));
    people.querySelector("summary")?.prepend(icon("people"));
    people.querySelector("summary")?.setAttribute("aria-label", `${viewers.length} attached`);
    people.classList.add("right");
    const open = this.el.querySelector<HTMLDetailsElement>(".people")?.open ?? false;
    people.classList.add("people");
    people.open = open;
    fill(this.el, ...mine, h("span", { class: "gap" }), ...programs, viewers.length > 0 && people);
    this.count();
  }

  private count(): void {
    const until = this.state.grant?.until;
    if (this.left && until) fill(this.left, ` ${clock((Date.parse(until) - Date.now()) / 1000)}`);
  }

  private fit(): void {
    const { cols, rows } = this.screen.room();
    this.live.size(cols, rows).catch((e: Error) => toast(e.message, true));
  }
}

/** menu is a button that opens a list. */
export function menu(title: string, ...items: (Node | null)[]): HTMLDetailsElement {
  const el = h("details", { class: "menu" }, h("summary", { class: "button" }, title), h("div", { class: "pop", onclick: (e: MouseEvent) => e.target instanceof Element && e.target.closest("button") && (el.open = false) }, ...items));
  el.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || !el.open) return;
    el.open = false;
    el.querySelector("summary")?.focus();
    e.preventDefault();
  });
  el.addEventListener("focusout", (e) => e.relatedTarget instanceof Node && !el.contains(e.relatedTarget) && (el.open = false));
  return el;
}
