// The conversation: entries as they are, in order, each at its place when it changes.
import type { Entry, Tool } from "./api";
import { fill, h, icon } from "./dom";
import { clock, full, names, when } from "./format";
import { markdown, plain } from "./markdown";

interface Item { entry: Entry; el: HTMLElement }

/** Talk shows a session's entries. Its element scrolls. */
export class Talk {
  readonly el = h("section", { id: "talk", tabIndex: -1, "aria-label": "Conversation" });
  onseek: (entry: Entry, go: boolean) => void = () => {}; // go: the terminal is what the reader wants to see
  private list = h("div", { class: "entries" });
  private jump = h("button", { class: "jump", type: "button", hidden: true, onclick: () => this.toEnd() }, icon("down"), "Newest");
  private items: Item[] = [];
  private byId = new Map<string, Item>();
  private live = false;
  private stick = false; // to the end
  private now?: Item;

  constructor(private started: number) {
    this.el.append(this.list, this.jump);
    this.el.addEventListener("scroll", () => {
      this.stick = this.live && this.atEnd();
      this.jump.hidden = !this.live || this.stick;
    }, { passive: true });
    new ResizeObserver(() => this.stick && this.toEnd()).observe(this.list);
  }

  /** follow lets the conversation stay at its end as it grows, until the reader scrolls away. */
  follow(on: boolean): void {
    this.live = this.stick = on;
    if (on) this.toEnd();
  }

  /** put adds entries, and changes those that are there. */
  put(entries: Entry[]): void {
    for (const entry of entries) {
      const old = this.byId.get(entry.id);
      if (old && JSON.stringify(old.entry) === JSON.stringify(entry)) continue;
      const el = this.draw(entry, old?.el);
      if (!el) continue;
      if (old) {
        old.entry = entry;
        continue;
      }
      const item = { entry, el };
      let at = this.items.length;
      while (at > 0 && this.items[at - 1]!.entry.seq > entry.seq) at--;
      this.list.insertBefore(el, this.items[at]?.el ?? null);
      this.items.splice(at, 0, item);
      this.byId.set(entry.id, item);
    }
  }

  /** drop takes entries back. */
  drop(ids: string[]): void {
    for (const id of ids) {
      this.byId.get(id)?.el.remove();
      this.byId.delete(id);
    }
    this.items = this.items.filter((i) => this.byId.has(i.entry.id));
  }

  /** empty tells whether there is nothing to read. */
  get empty(): boolean { return this.items.length === 0; }
  get messages(): Entry[] { return this.items.map((i) => i.entry).filter((e) => e.type === "message"); }

  /** mark shows which message a replay has come to, in seconds since the session's start. */
  mark(seconds: number, scroll: boolean): void {
    const limit = this.started + seconds * 1000 + 50;
    const found = this.items.findLast((i) => i.entry.type === "message" && Date.parse(i.entry.at) <= limit);
    if (found === this.now) return;
    this.now?.el.removeAttribute("aria-current");
    this.now = found;
    found?.el.setAttribute("aria-current", "true");
    if (scroll) found?.el.scrollIntoView({ block: "nearest", behavior: smooth() });
  }

  /** step moves the focus to the next (1) or previous (-1) message. */
  step(by: 1 | -1): void {
    const stops = this.items.filter((i) => i.entry.type === "message");
    const here = stops.findIndex((i) => i.el.contains(document.activeElement));
    const from = here >= 0 ? here : this.now ? stops.indexOf(this.now) : by > 0 ? -1 : stops.length;
    this.reach(stops[Math.min(stops.length - 1, Math.max(0, from + by))]);
  }

  /** show brings the entry with a seq number into view, as an address names it. */
  show(seq: number): Entry | undefined {
    const item = this.items.find((i) => i.entry.seq >= seq && i.entry.type === "message");
    this.reach(item);
    return item?.entry;
  }

  /** seekFocused goes to the moment of the message that has the focus. */
  seekFocused(): void {
    const item = this.items.find((i) => i.el === document.activeElement);
    if (item) this.onseek(item.entry, true);
  }

  /** fold opens or folds the details of the message that has the focus, or else of all. */
  fold(): void {
    const within = this.items.find((i) => i.el.contains(document.activeElement))?.el;
    const all = [...(within?.querySelector("details") ? within : this.list).querySelectorAll<HTMLDetailsElement>("details.fold")];
    const open = !all.some((d) => d.open);
    for (const d of all) d.open = open;
  }

  toEnd(): void {
    this.el.scrollTop = this.el.scrollHeight;
  }

  private reach(item?: Item): void {
    item?.el.focus({ preventScroll: true });
    item?.el.scrollIntoView({ block: "nearest", behavior: smooth() });
  }

  private atEnd(): boolean {
    return this.el.scrollHeight - this.el.scrollTop - this.el.clientHeight < 40;
  }

  // draw makes an entry's element, or draws it anew in old; undefined for what is not worth a line.
  private draw(e: Entry, old?: HTMLElement): HTMLElement | undefined {
    if (e.type === "event") {
      const text = eventText(e);
      if (!text) return undefined;
      const el = old ?? h("p", { class: "event" });
      fill(el, h("span", { title: full(e.at) }, text));
      return el;
    }
    const el = old ?? h("article", { id: `e${e.seq}`, tabIndex: -1, onclick: (ev: MouseEvent) => this.clicked(ev, e.id) });
    const open = el.querySelector<HTMLDetailsElement>("details.fold")?.open ?? false;
    el.className = `${e.role ?? ""} ${e.status ?? ""}`;
    fill(el, body(e, open), h("a", { class: "at", href: `#${e.seq}`, title: `#${e.seq}, ${full(e.at)}` }, clock((Date.parse(e.at) - this.started) / 1000)));
    return el;
  }

  private clicked(ev: MouseEvent, id: string): void {
    const item = this.byId.get(id);
    if (!item || !(ev.target instanceof Element) || ev.target.closest("a:not(.at), button, summary, pre, table") || String(getSelection())) return;
    ev.preventDefault();
    item.el.focus({ preventScroll: true });
    history.replaceState(history.state, "", `#${item.entry.seq}`);
    this.onseek(item.entry, ev.target.closest(".at") !== null);
  }
}

const smooth = (): ScrollBehavior => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

function body(e: Entry, open: boolean): HTMLElement {
  const text = (source = e.markdown || e.text || ""): HTMLElement => {
    const el = h("div", { class: "text" });
    el.append(markdown(source));
    return el;
  };
  switch (e.role) {
    case "tool": return tool(e.tool ?? { name: e.text ?? "", input: "", output: "", status: "ok", truncated: false }, open);
    case "thinking": return fold("thinking", open, ["Thinking", h("span", { class: "hint" }, firstLine(e.text))], text());
    case "shell":
    case "command": return h("div", { class: "shell" }, h("p", { class: "prompt" }, h("span", { "aria-hidden": "true" }, e.role === "shell" ? "$" : "›"), h("code", {}, e.text ?? "")), e.output ? (e.output.length < 600 ? plain(e.output) : fold("output", open, [firstLine(e.output)], plain(e.output))) : null);
    case "system": return h("div", { class: "text" }, e.text ?? "");
    default: return h("div", {}, h("h2", { class: "who" }, e.role === "user" ? "You" : names[e.agent ?? ""] ?? e.agent ?? e.role ?? ""), e.role === "user" ? h("div", { class: "text typed" }, e.text ?? "") : text(), e.status === "partial" && h("p", { class: "note" }, "stopped here"));
  }
}

function tool(t: Tool, open: boolean): HTMLElement {
  const marks: Record<string, string> = { ok: "✓", error: "✕", running: "…", rejected: "⊘" };
  const head = [h("span", { class: `mark ${t.status}`, title: t.status, role: "img", "aria-label": t.status }, marks[t.status] ?? "·"), h("b", {}, t.name), h("code", {}, firstLine(t.input))];
  if (!t.output && !t.input.includes("\n")) return h("div", { class: "fold flat" }, ...head);
  return fold("tool", open, head, t.input.includes("\n") && plain(t.input, "input"), t.output && plain(t.output, t.truncated ? "output, cut by the agent" : ""));
}

function fold(kind: string, open: boolean, head: (Node | string)[], ...inside: (Node | "" | false)[]): HTMLElement {
  return h("details", { class: `fold ${kind}`, open }, h("summary", {}, ...head), ...inside);
}

const visible = (keys: string): string => keys.replace(/\r/g, "⏎").replace(/[\0-\x1f]/g, (c) => `^${String.fromCharCode(c.charCodeAt(0) + 64)}`).replace(/\x7f/g, "⌫");
const firstLine = (text = ""): string => text.trimStart().split("\n", 1)[0]!.slice(0, 300);

// eventText says an event in few words; nothing for those that the state shows anyway.
function eventText(e: Entry): string {
  const d = (e.data ?? {}) as Record<string, string | number | undefined>;
  const agent = names[e.agent ?? ""] ?? e.agent ?? "agent";
  switch (e.event) {
    case "cli:busy": case "cli:idle": case "cli:screenRefresh": return "";
    case "cli:newSession": return [`${agent}${d.version ? ` ${d.version}` : ""} started`, d.model, d.cwd].filter(Boolean).join(" · ");
    case "cli:exit": return `${agent} was left`;
    case "cli:clear": return "conversation cleared";
    case "cli:interrupted": return "interrupted";
    case "cli:asking": return `${agent} asks for approval`;
    case "control:grant": return d.kind === "agent" ? `${d.by} lets programs type${d.until ? ` until ${when(String(d.until))}` : ""}` : `${d.by} took control`;
    case "control:revoke": return d.kind === "human" ? (d.reason === "given up" ? `${d.by} gave control up` : d.reason === "left" ? `${d.by} left` : `${d.by} lost control: ${d.reason ?? "revoked"}`) : `programs may no longer type${d.reason ? `: ${d.reason}` : ""}`;
    case "control:input": return `${d.by}${d.kind === "agent" ? " (program)" : ""} typed ${d.secret ? "a secret" : `“${visible(String(d.text ?? ""))}”`}`;
    case "pty:resize": return `window ${d.cols} × ${d.rows}`;
    case "pty:exit": return `exited with status ${d.status ?? 0}`;
    default: return [String(e.event).replace(/^\w+:/, ""), ...Object.values(d)].join(" · ");
  }
}
