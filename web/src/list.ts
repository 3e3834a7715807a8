// The sessions, newest first, and what was said in them.
import * as api from "./api";
import { announce, pill, stateOf } from "./badge";
import { bar, link } from "./bar";
import { fill, h, icon } from "./dom";
import { agentOf, folder, full, names, plural, span, titleOf, when } from "./format";
import { bind } from "./keys";
import type { Page } from "./main";

const refresh = 4000, typing = 200; // ms

/** ListPage lists sessions, or what a search found in them. */
export class ListPage implements Page {
  readonly el: HTMLElement;
  private filter: api.Filter = {};
  private results = h("ol", { class: "sessions", "aria-label": "Sessions" });
  private status = h("p", { class: "count", role: "status" });
  private field = h("input", { type: "search", placeholder: "Search what was said", "aria-label": "Search what was said", spellcheck: false, oninput: () => this.later(typing) });
  private more = h("button", { type: "button", class: "button", hidden: true, onclick: () => void this.load(true) }, "Older sessions");
  private sessions: api.Session[] = [];
  private drawn = "";
  private timer = 0;
  private request = new AbortController();

  constructor() {
    const params = new URLSearchParams(location.search);
    this.field.value = params.get("q") ?? "";
    this.filter = { agent: params.get("agent") ?? undefined, live: params.has("live") };
    this.el = h("div", { class: "listpage" },
      bar(h("h1", { class: "logo" }, h("img", { src: "/favicon.svg", alt: "", width: 26, height: 26 }), "ptyrec"), h("label", { class: "search" }, icon("search"), this.field, h("kbd", { "aria-hidden": "true" }, "/"))),
      h("main", { class: "list" }, this.chips(), this.status, this.results, this.more));
  }

  async open(): Promise<void> {
    announce("Sessions");
    bind([
      { keys: ["/"], does: "Search", run: () => this.field.select() },
      { keys: ["j", "ArrowDown"], shown: "j ↓", does: "Next session", run: () => this.step(1) },
      { keys: ["k", "ArrowUp"], shown: "k ↑", does: "Session before", run: () => this.step(-1) },
      { keys: ["Escape"], shown: "Esc", does: "Leave the search", run: () => this.leave() },
    ]);
    await this.load();
  }

  close(): void {
    clearTimeout(this.timer);
    this.request.abort();
  }

  private chips(): HTMLElement {
    const box = h("div", { class: "chips", role: "group", "aria-label": "Only" });
    const chip = (text: string, on: () => boolean, set: () => void): HTMLElement => {
      const el = h("button", { type: "button", class: "chip", "aria-pressed": String(on()), onclick: () => {
        set();
        box.replaceWith(this.chips());
        void this.load();
      } }, text);
      return el;
    };
    box.append(chip("Live", () => !!this.filter.live, () => (this.filter.live = !this.filter.live)), h("i", { class: "bar-line" }));
    for (const [name, title] of Object.entries(names)) box.append(chip(title, () => this.filter.agent === name, () => (this.filter.agent = this.filter.agent === name ? undefined : name)));
    return box;
  }

  private later(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load().catch(() => this.later(refresh)), ms);
  }

  private async load(more = false): Promise<void> {
    this.request.abort();
    const { signal } = (this.request = new AbortController());
    const q = this.field.value.trim();
    const params = new URLSearchParams({ ...(q && { q }), ...(this.filter.agent && { agent: this.filter.agent }), ...(this.filter.live && { live: "true" }) });
    history.replaceState(null, "", params.size ? `/?${params}` : "/");
    try {
      if (q) await this.search(q, signal);
      else await this.list(more, signal);
    } catch (e) {
      if (signal.aborted) return;
      if (!(e instanceof api.Refused) || e.status === 401) throw e;
      this.draw([], e.message); // of a search that cannot be understood
    }
    if (!q && !signal.aborted) this.later(document.visibilityState === "visible" ? refresh : 10 * refresh);
  }

  private async list(more: boolean, signal: AbortSignal): Promise<void> {
    const limit = Math.min(1000, Math.max(50, more ? 0 : this.sessions.length));
    const page = await api.sessions({ ...this.filter, limit, until: more ? this.sessions.at(-1)?.started_at : undefined }, signal);
    this.sessions = more ? [...this.sessions, ...page.sessions] : page.sessions;
    this.more.hidden = !page.next;
    const live = this.sessions.filter((s) => s.status === "live").length;
    this.draw(this.sessions.map((s) => row(s)), this.sessions.length ? `${plural(this.sessions.length, "session")}${live ? `, ${live} live` : ""}` : "No sessions. Record one: ptyrec run -- claude");
    announce("Sessions", this.sessions.some((s) => stateOf(s) === "asking") ? "asking" : live ? "live" : "");
  }

  private async search(q: string, signal: AbortSignal): Promise<void> {
    const hits = await api.search(q, this.filter, signal);
    this.more.hidden = true;
    this.draw(hits.map(hit), hits.length ? plural(hits.length, "hit") : `Nothing was said of “${q}”`);
  }

  // draw shows rows, unless they are the ones that stand there: the focus stays where it is.
  private draw(rows: HTMLElement[], status: string): void {
    fill(this.status, status);
    const html = rows.map((r) => r.outerHTML).join("");
    if (html === this.drawn) return;
    this.drawn = html;
    const focused = this.links().indexOf(document.activeElement as HTMLAnchorElement);
    fill(this.results, ...rows);
    if (focused >= 0) this.links()[Math.min(focused, rows.length - 1)]?.focus();
  }

  private links(): HTMLAnchorElement[] {
    return [...this.results.querySelectorAll("a")];
  }

  private step(by: number): void {
    const links = this.links();
    const here = links.indexOf(document.activeElement as HTMLAnchorElement);
    links[Math.max(0, Math.min(links.length - 1, here + by))]?.focus();
  }

  private leave(): void {
    this.field.value = "";
    this.field.blur();
    void this.load();
  }
}

function row(s: api.Session): HTMLElement {
  const state = stateOf(s);
  const facts = [s.agents.map(agentOf).join(", ") || s.command.join(" "), s.cwd && folder(s.cwd), plural(s.messages, "message"), s.duration ? span(s.duration) : ""].filter(Boolean);
  return h("li", {}, link(`/s/${s.id}`, { class: `session ${s.status}` },
    h("span", { class: "name" }, titleOf(s)), h("span", { class: "side" }, s.status === "ended" ? null : pill(state), h("time", { dateTime: s.started_at, title: full(s.started_at) }, when(s.started_at))),
    h("span", { class: "facts" }, facts.join(" · "), ...(s.tags ?? []).map((t) => h("span", { class: "tag" }, t)))));
}

function hit({ session: s, entry, snippet, marks }: api.Hit): HTMLElement {
  return h("li", {}, link(`/s/${s.id}#${entry.seq}`, { class: "session hit" },
    h("span", { class: "name" }, titleOf(s)), h("span", { class: "side" }, h("time", { dateTime: entry.at, title: full(entry.at) }, when(entry.at))),
    h("span", { class: "snippet" }, h("b", {}, entry.role === "user" ? "You" : names[entry.agent ?? ""] ?? entry.role ?? ""), " ", ...marked(snippet, marks))));
}

// marked gives a snippet whose marks, in bytes, stand out.
function marked(snippet: string, marks: [number, number][] | null): Node[] {
  const bytes = new TextEncoder().encode(snippet);
  const text = (from: number, to?: number): string => new TextDecoder().decode(bytes.subarray(from, to));
  let at = 0;
  const out: Node[] = [];
  for (const [from, to] of marks ?? []) {
    out.push(document.createTextNode(text(at, from)), h("mark", {}, text(from, to)));
    at = to;
  }
  return [...out, document.createTextNode(text(at))];
}
