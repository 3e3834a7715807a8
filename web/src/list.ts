// The sessions, newest first, and what was said in them.
import * as api from "./api";
import { announce, pill, stateOf } from "./badge";
import { bar, link } from "./bar";
import { fill, h, icon, toast } from "./dom";
import { edit } from "./edit";
import { Filters } from "./filters";
import { agentOf, branchOf, commandOf, folder, full, ownerOf, plural, span, titleOf, tokens, when } from "./format";
import { printable } from "./hidden";
import { bind } from "./keys";
import { failed, type Page } from "./main";
import { bell, on, Turns } from "./turn";

const refresh = 4000, typing = 200, retry = 3000; // ms
const pageSize = 50, renewed = 200; // sessions: in a page, and at most that are asked for again at each refresh
const hitsShown = 100;

interface State { scroll?: number; count?: number }
type What = "all" | "back" | "more" | "again";

/** ListPage lists sessions, or what a search found in them. */
export class ListPage implements Page {
  readonly el: HTMLElement;
  private filters: Filters;
  private results = h("ol", { class: "sessions", "aria-label": "Sessions" });
  private status = h("p", { class: "count", role: "status" });
  private trouble = h("div", { class: "trouble", role: "alert", hidden: true });
  private field = h("input", { type: "search", placeholder: "Search messages, titles, notes, tags", "aria-label": "Search messages, titles, notes, tags", spellcheck: false, oninput: () => this.later(typing) });
  private more = h("button", { type: "button", class: "button", hidden: true, onclick: () => void this.load("more") }, "Older sessions");
  private out = h("button", { type: "button", class: "quiet", hidden: true, onclick: () => void api.logout().then(() => location.reload(), (e: Error) => toast(e.message, true)) }, "Sign out");
  private sessions: api.Session[] = [];
  private next?: string;
  private drawn = "";
  private heard = Date.now(); // when the server answered last
  private write = false;
  private turns = new Turns();
  private timer = 0;
  private saved = 0; // timer
  private request = new AbortController();
  private gone = new AbortController(); // when the page is left

  constructor() {
    const params = new URLSearchParams(location.search);
    this.field.value = params.get("q") ?? "";
    this.filters = new Filters(params, () => void this.load("all"));
    this.el = h("div", { class: "listpage" },
      bar(h("h1", { class: "logo" }, h("img", { src: "/favicon.svg", alt: "", width: 26, height: 26 }), h("span", {}, "ptyrec")), h("label", { class: "search" }, icon("search"), this.field, h("kbd", { "aria-hidden": "true" }, "/")), this.out, bell()),
      h("main", { class: "list" }, this.filters.el, this.trouble, this.status, this.results, this.more));
  }

  async open(): Promise<void> {
    announce("Sessions");
    bind([
      { keys: ["/"], does: "Search", run: () => this.field.select() },
      { keys: ["j", "ArrowDown"], shown: "j ↓", does: "Next session", run: () => this.step(1) },
      { keys: ["k", "ArrowUp"], shown: "k ↑", does: "Session before", run: () => this.step(-1) },
      { keys: ["e"], does: "Name, tags, note, delete", run: () => document.activeElement?.closest("li")?.querySelector<HTMLElement>(".edit")?.click() },
      { keys: ["Escape"], shown: "Esc", does: "Leave the search", run: () => this.leave() },
    ]);
    const left = (history.state ?? {}) as State;
    const info = await api.info();
    this.write = info.write;
    this.out.hidden = !info.user;
    this.out.title = `Signed in as ${info.user}`;
    await this.load("back", left.count);
    if (left.scroll) scrollTo(0, left.scroll);
    this.save();
    const { signal } = this.gone;
    addEventListener("scroll", () => this.keep(), { passive: true, signal });
    addEventListener("online", () => this.later(0), { signal });
    document.addEventListener("visibilitychange", () => this.look(), { signal });
    void api.facets().then((f) => this.filters.offer(f)).catch(() => {}); // without them there is only less to choose from
  }

  private look(): void {
    if (document.visibilityState !== "visible") return;
    this.turns.looked();
    this.later(0);
  }

  close(): void {
    clearTimeout(this.timer);
    clearTimeout(this.saved);
    this.gone.abort();
    this.request.abort();
  }

  // keep keeps where the reader is in the history, so that Back and a reload lead there.
  private keep(): void {
    clearTimeout(this.saved);
    this.saved = setTimeout(() => this.save(), 150);
  }

  private save(): void {
    const q = this.field.value.trim();
    const params = new URLSearchParams({ ...(q && { q }), ...this.filters.params() });
    const state: State = { scroll: scrollY, count: this.sessions.length };
    history.replaceState({ ...(history.state as object | null), ...state }, "", params.size ? `/?${params}` : "/");
  }

  private later(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(this.field.value.trim() ? "all" : "again"), ms);
  }

  // load shows all sessions of the filters, from the newest on; as many as the reader came back to; more; or again those that are shown.
  private async load(what: What, count = 0): Promise<void> {
    clearTimeout(this.timer);
    this.request.abort();
    const { signal } = (this.request = new AbortController());
    const q = this.field.value.trim();
    try {
      if (q) await this.search(q, signal);
      else await this.list(what, count, signal);
      this.answered();
      if (what === "all" || what === "more") this.save();
      if (!q) this.later(document.visibilityState === "visible" ? refresh : on() ? 2 * refresh : 10 * refresh);
    } catch (e) {
      if (signal.aborted) return;
      if (e instanceof api.Refused && e.status === 400) return this.draw([], e.message); // a search that cannot be understood
      if (e instanceof api.Refused && e.status === 401) return failed(e);
      this.silent(e as Error);
    }
  }

  private answered(): void {
    this.heard = Date.now();
    this.trouble.hidden = true;
    this.el.classList.remove("stale");
  }

  // silent says that the server does not answer, and tries again.
  private silent(e: Error): void {
    this.later(retry);
    this.el.classList.add("stale");
    this.trouble.hidden = false;
    fill(this.trouble, h("span", {}, h("b", {}, e.message), this.sessions.length ? ` This is how it was at ${new Date(this.heard).toLocaleTimeString()}.` : "", " Trying again…"), h("button", { type: "button", class: "button", onclick: () => this.later(0) }, "Now"));
    announce("No answer");
  }

  private async list(what: What, count: number, signal: AbortSignal): Promise<void> {
    const filter = this.filters.filter();
    const limit = what === "more" ? pageSize : Math.min(what === "back" ? 1000 : renewed, Math.max(pageSize, what === "back" ? count : what === "again" ? this.sessions.length : 0));
    const page = await api.sessions({ ...filter, limit }, what === "more" ? this.next : undefined, signal);
    const older = this.sessions.findIndex((s) => s.id === page.sessions.at(-1)?.id) + 1; // those that were not asked for again
    if (what === "more") this.sessions = [...this.sessions, ...page.sessions];
    else if (what === "again" && older > 0 && older < this.sessions.length) {
      const all = new Map([...page.sessions, ...this.sessions.slice(older)].map((s) => [s.id, s]));
      this.sessions = [...all.values()];
    } else this.sessions = page.sessions;
    if (what !== "again" || older <= 0 || older >= this.sessions.length) this.next = page.next;
    this.more.hidden = !this.next;
    const live = this.sessions.filter((s) => s.status === "live").length;
    const shown = this.sessions.length < page.total ? `, the newest ${this.sessions.length.toLocaleString()} shown` : "";
    const none = this.filters.any ? "No session is like that." : "No sessions. Record one: ptyrec run -- claude";
    this.draw(this.sessions.map((s) => this.row(s)), page.total ? `${plural(page.total, "session")}${live ? `, ${live} live` : ""}${shown}` : none);
    this.turns.see(this.sessions);
    announce("Sessions", this.sessions.some((s) => stateOf(s) === "asking") ? "asking" : live ? "live" : "", this.turns.count);
  }

  private async search(q: string, signal: AbortSignal): Promise<void> {
    const hits = await api.search(q, { ...this.filters.filter(), limit: hitsShown }, signal);
    this.more.hidden = true;
    this.draw(hits.map(hit), hits.length ? (hits.length < hitsShown ? plural(hits.length, "hit") : `The best ${hits.length} hits`) : `Nothing matches “${q}”`);
  }

  // draw shows rows, unless they are there already: the focus stays where it is.
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
    void this.load("all");
  }

  private row(s: api.Session): HTMLElement {
    const facts = [ownerOf(s), s.agents.map(agentOf).join(", ") || commandOf(s), s.cwd && folder(s.cwd), branchOf(s), plural(s.messages, "message"), s.duration ? span(s.duration) : "", s.usage ? tokens(s.usage) : "", s.source ? "from its log" : ""].filter(Boolean);
    return h("li", {}, link(`/s/${s.id}`, { class: `session ${s.status}` },
      h("span", { class: "name" }, titleOf(s)), h("span", { class: "side" }, s.status === "ended" ? null : pill(stateOf(s)), h("time", { dateTime: s.started_at, title: full(s.started_at) }, when(s.started_at))),
      h("span", { class: "facts" }, ...facts.map((f) => h("bdi", {}, f)), ...(s.tags ?? []).map((t) => h("span", { class: "tag" }, t))), s.note ? h("span", { class: "noted" }, s.note) : null),
      this.write && h("button", { type: "button", class: "quiet more edit", title: "Name, tags, note, delete (e)", "aria-label": `Edit ${titleOf(s)}`, onclick: () => edit(s, () => void this.load("again")) }, icon("more")));
  }
}

function hit({ session: s, entry, snippet, marks }: api.Hit): HTMLElement {
  const parts = marked(snippet, marks);
  const first = parts.find((p) => p instanceof HTMLElement)?.textContent ?? "";
  const place = entry ? `${first ? `?q=${encodeURIComponent(first)}` : ""}#${entry.seq}` : "";
  const who = !entry ? "Session" : entry.role === "user" ? "You" : entry.agent ?? entry.role ?? "";
  const at = entry?.at ?? s.started_at;
  return h("li", {}, link(`/s/${s.id}${place}`, { class: "session hit" },
    h("span", { class: "name" }, titleOf(s)), h("span", { class: "side" }, h("time", { dateTime: at, title: full(at) }, when(at))),
    h("span", { class: "snippet" }, h("b", {}, who), " ", ...parts)));
}

// marked returns a snippet whose marks, in bytes, stand out.
function marked(snippet: string, marks: [number, number][] | null): Node[] {
  const bytes = new TextEncoder().encode(snippet);
  const text = (from: number, to?: number): string => printable(new TextDecoder().decode(bytes.subarray(from, to)));
  let at = 0;
  const out: Node[] = [];
  for (const [from, to] of marks ?? []) {
    out.push(document.createTextNode(text(at, from)), h("mark", {}, text(from, to)));
    at = to;
  }
  return [...out, document.createTextNode(text(at))];
}
