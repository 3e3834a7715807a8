// One session: what was said, beside the terminal.
import * as api from "./api";
import { announce, pill, stateOf } from "./badge";
import { bar, link } from "./bar";
import { Changes } from "./changes";
import { menu } from "./control";
import { fill, h, icon, toast } from "./dom";
import { edit } from "./edit";
import { invite } from "./invite";
import { Find } from "./find";
import { Follow } from "./follow";
import { agentOf, branchOf, commandOf, folder, full, gitOf, ownerOf, plural, span, titleOf, tokens, when } from "./format";
import { bind } from "./keys";
import { Log } from "./log";
import { failed, go, type Page } from "./main";
import { share } from "./share";
import { Stage, type Listener } from "./stage";
import { Talk, type Place } from "./talk";
import { Turns } from "./turn";

const formats = { md: "Markdown", html: "Page with replay", txt: "Text", json: "JSON", cast: "Asciicast" };
const formatsOfLog = { md: "Markdown", html: "Page", txt: "Text", json: "JSON" }; // without a recording

const saving = 150, retry = 3000, pause = 500, patience = 1000; // ms
const mostTicks = 150; // prompts on the bar of the replay
const margin = 50; // entries before the last that may have changed while the connection was lost

/** another ends the task: what follows is done in one of its own. */
const another = (): Promise<void> => new Promise((done) => setTimeout(done));

/** idle waits until the page has nothing better to do. */
const idle = (): Promise<void> => new Promise((done) => ("requestIdleCallback" in window ? requestIdleCallback(() => done(), { timeout: patience }) : setTimeout(done, patience / 5)));

interface State { place?: Place; part?: Part }
type Part = "talk" | "stage" | "diff";
const parts: Record<Part, string> = { talk: "Conversation", stage: "Terminal", diff: "Changes" };

/** SessionPage shows a session, live or past. */
export class SessionPage implements Page {
  readonly el = h("div", { class: "sessionpage" });
  private session!: api.Session;
  private write = false;
  private log: Log;
  private talk!: Talk;
  private find!: Find;
  private stage?: Stage;
  private follow?: Follow;
  private seat = h("section", { id: "stage", "aria-label": "Terminal" }); // where the terminal comes
  private staged?: Promise<void>; // while the terminal comes, and from then on
  private near = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && void this.terminal());
  private wanted?: api.Entry; // whose moment the terminal is to show, when it is in view
  private panes = h("main", { class: "split" });
  private head = h("div", { class: "heading" });
  private state = h("span", { class: "state" });
  private turns = new Turns();
  private stop = new AbortController();
  private saved = 0; // timer
  private changes: Changes;
  private toggle = h("button", { type: "button", class: "quiet changed", title: "What the agents changed, in place of the terminal (d)", "aria-pressed": "false", onclick: () => this.show(this.el.dataset.part === "diff" ? "talk" : "diff") }, "Changes");

  constructor(private id: string, private linked = false) {
    this.log = new Log(id, this.stop.signal);
    this.changes = new Changes(id, this.stop.signal, (seq) => void this.jump(seq));
  }

  async open(): Promise<void> {
    const left = (history.state ?? {}) as State, seq = left.place?.seq ?? Number(location.hash.slice(1));
    const first = seq > 0 ? this.log.around(seq).then(() => {}) : this.log.start();
    first.catch(() => {}); // it is waited for below
    const [session, info] = await Promise.all([api.session(this.id), api.info()]);
    await first;
    if (session.attachable) await this.log.end();
    if (this.stop.signal.aborted) return;
    const recorded = api.isRecorded(session);
    this.write = info.write;
    this.talk = new Talk(this.log, Date.parse(session.started_at));
    this.talk.onerror = (e) => this.trouble(e);
    this.talk.onseek = (e, go) => {
      this.wanted = e;
      if (go && api.isRecorded(this.session)) this.show("stage");
      void this.seek();
    };
    this.find = new Find(this.log, this.talk, (words) => this.keep({}, words));
    fill(this.panes, h("div", { class: "talkpane" }, this.find.el, this.talk.el), this.changes.el, recorded ? this.seat : null);
    fill(this.el, bar(this.linked ? null : link("/", { class: "quiet back", title: "All sessions (u)", "aria-label": "All sessions", onclick: back }, icon("back")), this.head, this.state, h("div", { class: "tools" }, this.toggle, this.finder(), info.write && info.user && info.user === session.owner ? this.sharer() : null, this.more(session))), recorded ? this.tabs() : null, this.panes);
    this.session = session;
    this.el.classList.toggle("alone", !recorded);
    this.show(recorded ? left.part ?? "talk" : "talk");
    document.addEventListener("visibilitychange", () => this.look(), { signal: this.stop.signal });
    this.keys();
    await another(); // the frame of the page, its head and the conversation are drawn in tasks of their own: keys come between
    if (this.stop.signal.aborted) return;
    this.begin(left.place, seq);
    await another();
    if (this.stop.signal.aborted) return;
    this.changed(this.session);
    this.talk.onplace = (place) => this.keep({ place });
    const words = new URLSearchParams(location.search).get("q");
    if (words) this.find.show(words);
    void this.awaitReading(seq);
    if (!recorded && session.attachable) this.follow = new Follow(this.id, this.listener(), (text) => this.say(text));
    if (!recorded) return;
    if (session.attachable) return this.terminal();
    await idle();
    if (!this.stop.signal.aborted) this.near.observe(this.seat); // a window in which only the conversation is shown needs no terminal
  }

  // awaitReading shows how far the server has read the session, and what it has found, until that is all. Then it goes to the entry with a number, if that was not there before.
  private async awaitReading(seq: number): Promise<void> {
    const { log, talk } = this;
    if (!log.reading) return;
    const text = h("p", { class: "reading", role: "status" }), named = seq > 0 && log.at(log.nearest(seq))?.seq !== seq;
    talk.el.before(text);
    while (log.reading && !this.stop.signal.aborted) {
      const { bytes, of } = log.reading;
      text.textContent = `ptyrec still reads this recording: ${Math.floor((100 * bytes) / Math.max(1, of))} %`;
      await new Promise((done) => setTimeout(done, pause));
      await log.again(log.at(talk.index)?.seq ?? 0).catch((e) => this.trouble(e));
      talk.changed();
    }
    text.remove();
    if (this.stop.signal.aborted) return;
    if (named) talk.go(await log.around(seq), true);
    this.empty();
    this.changed(await api.session(this.id));
  }

  // empty says that there are no entries, if that is so.
  private empty(): void {
    if (!this.log.length && !this.log.reading && !this.session.attachable) this.talk.el.append(h("p", { class: "empty" }, `Nothing was said in this session, or nothing that ptyrec could read. ${api.isRecorded(this.session) ? "The terminal has it all." : ""}`));
  }

  // terminal loads the terminal, unless that was done before.
  private terminal(): Promise<void> {
    if (!api.isRecorded(this.session)) return Promise.resolve();
    return (this.staged ??= this.openStage().catch((e) => {
      this.staged = undefined;
      this.trouble(e);
    }));
  }

  // openStage loads what the terminal needs, and shows it beside the conversation.
  private async openStage(): Promise<void> {
    this.near.disconnect();
    const xterm = await import("./xterm.js");
    await another(); // to run the script, to make the terminals, and to draw one are tasks of their own: keys come between
    if (this.stop.signal.aborted) return;
    this.stage = new Stage(xterm, this.session, this.write, this.listener());
    this.seat.replaceWith(this.stage.el);
    await another();
    if (this.stop.signal.aborted) return;
    this.stage.open(this.inView());
    if (!this.session.attachable) await this.seek();
  }

  // listener takes what a live session says.
  private listener(): Listener {
    return {
      entries: (e) => this.take(e.entries ?? [], e.gone ?? [], e.title),
      again: () => void this.log.end().then(() => this.talk.changed()).catch(() => {}),
      seen: () => this.log.at(Math.max(0, this.log.length - margin))?.seq ?? 0,
      state: (s) => this.changed({ ...this.session, state: s }),
      over: (status) => this.over(status),
      time: (t, playing) => void this.talk.mark(t, playing).catch(() => {}),
    };
  }

  // say shows a notice above the conversation; "": none.
  private say(text: string): void {
    this.talk.el.parentElement?.querySelector(".link")?.remove();
    if (text) this.talk.el.before(h("p", { class: "reading link", role: "status" }, text));
  }

  close(): void {
    clearTimeout(this.saved);
    this.follow?.close();
    this.stop.abort();
    this.near.disconnect();
    this.find?.stop();
    this.talk?.close();
    this.stage?.close();
  }

  // begin goes to where the reader was, to the entry that the address names, to the end of a live session, or to the beginning.
  private begin(place: Place | undefined, seq: number): void {
    const { log, talk } = this;
    const named = seq > 0 ? log.nearest(seq) : -1;
    if (this.session.attachable) talk.follow();
    if (place) talk.goTo(place);
    else if (named >= 0) talk.go(named, true);
    else if (!this.session.attachable) talk.go(0);
    const messages = log.fetched().filter((e) => e.type === "message");
    this.empty();
    this.wanted = log.at(named) ?? messages.find((e) => e.role === "user") ?? messages[0];
  }

  // keep keeps where the reader is in the history, so that Back and a reload lead there.
  private pending: State = {};
  private keep(state: State, words?: string): void {
    Object.assign(this.pending, state);
    clearTimeout(this.saved);
    const save = (): void => {
      const address = new URL(location.href);
      if (words) address.searchParams.set("q", words);
      else if (words !== undefined) address.searchParams.delete("q");
      history.replaceState({ ...(history.state as State | null), ...this.pending }, "", address);
    };
    if (words !== undefined) save();
    else this.saved = setTimeout(save, saving);
  }

  // trouble says that entries could not be fetched, and tries again for those in view.
  private trouble(e: unknown): void {
    if (this.stop.signal.aborted) return;
    if (e instanceof api.Refused && e.status === 401) return failed(e);
    if (!document.querySelector(".toast.bad")) toast((e as Error).message, true);
    if (e instanceof api.Silent) setTimeout(() => this.stop.signal.aborted || this.talk.changed(), retry);
  }

  private inView(): boolean {
    return this.stage !== undefined && this.stage.el.offsetParent !== null;
  }

  // seek brings the terminal to the moment that is wanted, once it is in view.
  private async seek(): Promise<void> {
    const e = this.wanted;
    if (!e || !this.inView()) return;
    this.wanted = undefined;
    await this.stage!.seek(this.moment(e) + 0.05);
    const prompts = this.log.complete ? this.log.fetched().filter((m) => m.role === "user") : [];
    this.stage!.replay.mark(prompts.length > mostTicks ? [] : prompts.map((m) => this.moment(m)));
  }

  private moment(e: api.Entry): number {
    return (Date.parse(e.at) - Date.parse(this.session.started_at)) / 1000;
  }

  private over(status?: number): void {
    this.talk.over();
    this.changed({ ...this.session, status: "ended", state: undefined, exit_code: status });
  }

  private take(entries: api.Entry[], gone: string[], title?: string): void {
    this.log.change(entries, gone);
    this.talk.changed();
    if (title && title !== this.session.title) this.changed({ ...this.session, title });
  }

  private changed(s: api.Session): void {
    this.session = s;
    const tags = (s.tags ?? []).map((t) => h("span", { class: "tag" }, t));
    const facts = [ownerOf(s), s.agents.map(agentOf).join(", "), s.cwd && folder(s.cwd), branchOf(s), when(s.started_at), s.duration && s.status !== "live" ? span(s.duration) : "", s.usage ? tokens(s.usage) : "", s.source ? `from ${s.source.agent}’s own log, no recording` : api.isRecorded(s) ? "" : s.status === "live" ? "the recording is not sent while it runs" : "no recording was sent"].filter(Boolean);
    fill(this.head, h("h1", { title: titleOf(s) }, titleOf(s)), h("p", { title: `${commandOf(s)}\n${full(s.started_at)}\n${plural(s.messages, "message")}${s.git ? `\nGit: ${gitOf(s)}` : ""}${s.note ? `\n\n${s.note}` : ""}` }, facts.join(" · "), ...tags, ...this.relatives(s)));
    fill(this.state, pill(stateOf(s)));
    this.turns.see([s]);
    announce(titleOf(s), stateOf(s), this.turns.count);
    this.el.dataset.state = stateOf(s);
  }

  private look(): void {
    if (document.visibilityState !== "visible") return;
    this.turns.looked();
    announce(titleOf(this.session), stateOf(this.session));
  }

  // relatives link the session that this one continues, and those that continue it.
  private relatives(s: api.Session): Node[] {
    if (this.linked) return [];
    const to = (id: string, words: string): HTMLElement => link(`/s/${id}`, { class: "relative", title: id }, words);
    const next = s.continued_by ?? [];
    return [...(s.continues ? [to(s.continues, "← continues")] : []), ...next.map((id, i) => to(id, next.length > 1 ? `continued ${i + 1} →` : "continued →"))];
  }

  // resume copies the command that goes on with the conversation.
  private async resume(): Promise<void> {
    const command = `ptyrec resume ${this.session.id}`;
    try {
      await navigator.clipboard.writeText(command);
      toast(`Copied: ${command}`);
    } catch {
      toast(`Run in a terminal: ${command}`); // only secure pages may use the clipboard
    }
  }

  // tabs are for narrow windows, which show one of the two at a time.
  private tabs(): HTMLElement {
    return h("nav", { class: "tabs", "aria-label": "Parts" }, ...(Object.keys(parts) as Part[]).map((part) => h("button", { type: "button", "data-part": part, onclick: () => this.show(part) }, parts[part])));
  }

  private show(part: Part): void {
    this.el.dataset.part = part;
    for (const b of this.el.querySelectorAll<HTMLElement>(".tabs button")) b.setAttribute("aria-current", String(b.dataset.part === part));
    if (history.state?.part !== part) this.keep({ part });
    this.toggle.setAttribute("aria-pressed", String(part === "diff"));
    if (part === "diff") void this.changes.open(this.session.attachable);
    if (part === "stage" && this.wanted) void this.seek();
  }

  private finder(): HTMLElement {
    return h("button", { type: "button", class: "quiet", title: "Find in this session (/)", "aria-label": "Find in this session", onclick: () => this.search() }, icon("search"));
  }

  private sharer(): HTMLElement {
    return h("button", { type: "button", class: "quiet", title: "Share this session by a link", "aria-label": "Share", onclick: () => invite(this.session) }, icon("people"));
  }

  private search(): void {
    this.show("talk");
    this.find.open();
  }

  // more is the menu of what can be done with a session.
  private more(session: api.Session): HTMLElement {
    const item = (text: string, run: () => void): HTMLElement => h("button", { type: "button", onclick: run }, text);
    const resumable = !this.linked && session.status !== "live" && session.agents.length > 0;
    const el = menu("", resumable ? item("Copy the command that resumes it", () => void this.resume()) : null, this.write ? item("Name, tags, note, delete…", () => edit(this.session, (s) => (s ? this.changed({ ...this.session, ...s }) : go("/")))) : null,
      h("p", { class: "label" }, "Download"), ...Object.entries(api.isRecorded(session) ? formats : formatsOfLog).map(([format, name]) => item(name, () => void this.download(format).catch((e: Error) => toast(e.message, true)))),
      item("A part, or a film…", () => share(this.id, api.isRecorded(session) ? formats : formatsOfLog, (file, ending) => this.keepFile(file, ending))));
    el.classList.add("right");
    const summary = el.querySelector("summary")!;
    summary.className = "quiet more";
    Object.assign(summary, { title: "More", ariaLabel: "More" });
    summary.append(icon("more"));
    return el;
  }

  private async download(format: string): Promise<void> {
    await this.keepFile(await api.file(this.id, format), format);
  }

  private async keepFile(file: Response, format: string): Promise<void> {
    const url = URL.createObjectURL(await file.blob());
    h("a", { href: url, download: `${this.session.id.slice(-8)}.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }

  private keys(): void {
    const { talk } = this;
    addEventListener("keydown", (e) => {
      if (e.key !== "f" || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || this.find.focused || document.activeElement?.closest(".now")) return; // the second time the browser's own find opens
      e.preventDefault();
      this.search();
    }, { signal: this.stop.signal });
    bind([
      { keys: ["j", "ArrowDown"], shown: "j ↓", does: "Next message", run: () => void talk.step(1) },
      { keys: ["k", "ArrowUp"], shown: "k ↑", does: "Message before", run: () => void talk.step(-1) },
      { keys: ["Enter"], does: "Show the message's moment", run: () => talk.seekFocused() },
      { keys: ["o"], does: "Open or fold details", run: () => talk.fold() },
      { keys: ["G", "End"], shown: "G", does: "Newest message", run: () => void this.toEnd() },
      { keys: ["g", "Home"], shown: "g", does: "First message", run: () => void this.toStart() },
      { keys: ["/", "f"], shown: "/", does: "Find in this session", run: () => this.search() },
      { keys: ["n", "N"], shown: "n N", does: "Next, previous place found", run: (e) => void this.find.step(e.key === "n" ? 1 : -1) },
      { keys: [" "], does: "Play or pause the replay", run: () => void this.terminal().then(() => this.stage?.showReplay()).then(() => this.stage?.replay.toggle()) },
      { keys: ["ArrowLeft"], shown: "←", does: "5 s back", run: () => this.stage?.replay.skip(-5) },
      { keys: ["ArrowRight"], shown: "→", does: "5 s on", run: () => this.stage?.replay.skip(5) },
      { keys: ["<", ">"], shown: "< >", does: "Slower, faster", run: (e) => this.stage?.replay.faster(e.key === ">" ? 1 : -1) },
      { keys: ["l"], does: "Back to live", run: () => this.stage?.showLive() },
      { keys: ["c"], shown: "c Enter", does: "Take control", run: () => this.stage?.control() },
      { keys: ["z"], does: "Zoom the terminal", run: () => this.stage?.zoom() },
      { keys: ["d"], does: "What the agents changed", run: () => this.toggle.click() },
      { keys: ["u"], does: "All sessions", run: () => this.el.querySelector<HTMLElement>("a.back")?.click() },
      { keys: ["Escape"], shown: "Esc", does: "Leave what has the focus", run: () => (document.activeElement as HTMLElement | null)?.blur() },
    ]);
  }

  // jump goes to the entry with a number.
  private async jump(seq: number): Promise<void> {
    this.show("talk");
    this.talk.go(await this.log.around(seq), true);
  }

  private async toEnd(): Promise<void> {
    if (!this.log.at(this.log.length - 1)) await this.log.end();
    this.talk.toEnd();
  }

  private async toStart(): Promise<void> {
    if (!this.log.at(0)) await this.log.start();
    this.talk.go(0);
  }
}

// back goes to the list that the reader came from, at its place; where he came from elsewhere the link is followed.
function back(e: MouseEvent): void {
  if (!(history.state as { from?: string } | null)?.from || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  history.back();
}
