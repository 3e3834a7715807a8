// One session: what was said, beside the terminal.
import * as api from "./api";
import { announce, pill, stateOf } from "./badge";
import { bar, link } from "./bar";
import { menu } from "./control";
import { fill, h, icon, toast } from "./dom";
import { agentOf, folder, full, plural, span, titleOf, when } from "./format";
import { bind } from "./keys";
import type { Page } from "./main";
import { Stage } from "./stage";
import { Talk } from "./talk";

const formats = { md: "Markdown", html: "Page with replay", txt: "Text", json: "JSON", cast: "Asciicast" };

/** SessionPage shows a session, live or past. */
export class SessionPage implements Page {
  readonly el = h("div", { class: "sessionpage" });
  private session!: api.Session;
  private talk!: Talk;
  private stage?: Stage;
  private head = h("div", { class: "heading" });
  private state = h("span", { class: "state" });
  private stop = new AbortController();

  constructor(private id: string) {}

  async open(): Promise<void> {
    const [session, info] = await Promise.all([api.session(this.id), api.info()]);
    if (this.stop.signal.aborted) return;
    this.session = session;
    const started = Date.parse(session.started_at);
    this.talk = new Talk(started);
    this.talk.onseek = (e, go) => {
      if (go) this.show("stage");
      void this.seek(e);
    };
    this.stage = new Stage(session, info.write, {
      entries: (e) => this.take(e.entries ?? [], e.gone ?? [], e.title),
      state: (s) => this.changed({ ...this.session, state: s }),
      over: (status) => this.changed({ ...this.session, status: "ended", state: undefined, exit_code: status }),
      time: (t, playing) => this.talk.mark(t, playing),
    });
    const panes = h("main", { class: "split" }, this.talk.el, this.stage.el);
    fill(this.el, bar(link("/", { class: "quiet", title: "All sessions (u)", "aria-label": "All sessions" }, icon("back")), this.head, this.state, this.downloads()), this.tabs(), panes);
    this.show("talk");
    this.changed(session);
    this.keys();
    this.stage.open();
    if (!session.attachable) await this.read();
    else this.talk.follow(!location.hash);
    this.resume();
  }

  close(): void {
    this.stop.abort();
    this.stage?.close();
  }

  // read takes a past session's entries, and goes to the one that the address names, else to the first.
  private async read(): Promise<void> {
    for await (const page of api.entries(this.id, this.stop.signal)) this.take(page, []);
    if (this.talk.empty) this.talk.el.append(h("p", { class: "empty" }, "Nothing was said in this session, or nothing that ptyrec could read. The terminal has it all."));
  }

  private resume(): void {
    const seq = Number(location.hash.slice(1));
    const entry = seq > 0 ? this.talk.show(seq) : undefined;
    const first = entry ?? (this.session.attachable ? undefined : this.talk.messages.find((e) => e.role === "user") ?? this.talk.messages[0]);
    if (first) void this.seek(first);
  }

  private async seek(e: api.Entry): Promise<void> {
    await this.stage?.seek((Date.parse(e.at) - Date.parse(this.session.started_at)) / 1000 + 0.05);
    this.ticks();
  }

  private ticks(): void {
    this.stage?.replay.mark(this.talk.messages.filter((e) => e.role === "user").map((e) => (Date.parse(e.at) - Date.parse(this.session.started_at)) / 1000));
  }

  private take(entries: api.Entry[], gone: string[], title?: string): void {
    this.talk.drop(gone);
    this.talk.put(entries);
    if (title && title !== this.session.title) this.changed({ ...this.session, title });
  }

  private changed(s: api.Session): void {
    this.session = s;
    const facts = [s.agents.map(agentOf).join(", "), s.cwd && folder(s.cwd), when(s.started_at), s.duration && s.status !== "live" ? span(s.duration) : ""].filter(Boolean);
    fill(this.head, h("h1", { title: titleOf(s) }, titleOf(s)), h("p", { title: `${s.command.join(" ")}\n${full(s.started_at)}\n${plural(s.messages, "message")}` }, facts.join(" · ")));
    fill(this.state, pill(stateOf(s)));
    announce(titleOf(s), stateOf(s));
    this.el.dataset.state = stateOf(s);
  }

  // tabs are for narrow windows, which show one of the two at a time.
  private tabs(): HTMLElement {
    return h("nav", { class: "tabs", "aria-label": "Parts" }, ...(["talk", "stage"] as const).map((part) => h("button", { type: "button", "data-part": part, onclick: () => this.show(part) }, part === "talk" ? "Conversation" : "Terminal")));
  }

  private show(part: "talk" | "stage"): void {
    this.el.dataset.part = part;
    for (const b of this.el.querySelectorAll<HTMLElement>(".tabs button")) b.setAttribute("aria-current", String(b.dataset.part === part));
  }

  private downloads(): HTMLElement {
    const el = menu("", ...Object.entries(formats).map(([format, name]) => h("button", { type: "button", onclick: () => void this.download(format).catch((e: Error) => toast(e.message, true)) }, name)));
    el.classList.add("right");
    const summary = el.querySelector("summary")!;
    summary.className = "quiet";
    Object.assign(summary, { title: "Download", ariaLabel: "Download" });
    summary.append(icon("file"));
    return el;
  }

  private async download(format: string): Promise<void> {
    const url = URL.createObjectURL(await (await api.file(this.id, format)).blob());
    h("a", { href: url, download: `${this.session.id.slice(0, 8)}.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  }

  private keys(): void {
    const { talk } = this;
    const stage = this.stage!;
    bind([
      { keys: ["j", "ArrowDown"], shown: "j ↓", does: "Next message", run: () => talk.step(1) },
      { keys: ["k", "ArrowUp"], shown: "k ↑", does: "Message before", run: () => talk.step(-1) },
      { keys: ["Enter"], does: "Show the message's moment", run: () => talk.seekFocused() },
      { keys: ["o"], does: "Open or fold details", run: () => talk.fold() },
      { keys: ["G", "End"], shown: "G", does: "Newest message", run: () => talk.toEnd() },
      { keys: [" "], does: "Play or pause the replay", run: () => void stage.showReplay().then(() => stage.replay.toggle()) },
      { keys: ["ArrowLeft"], shown: "←", does: "5 s back", run: () => stage.replay.skip(-5) },
      { keys: ["ArrowRight"], shown: "→", does: "5 s on", run: () => stage.replay.skip(5) },
      { keys: ["<", ">"], shown: "< >", does: "Slower, faster", run: (e) => stage.replay.faster(e.key === ">" ? 1 : -1) },
      { keys: ["l"], does: "Back to live", run: () => stage.showLive() },
      { keys: ["c"], shown: "c Enter", does: "Take control", run: () => stage.control() },
      { keys: ["z"], does: "Zoom the terminal", run: () => stage.zoom() },
      { keys: ["u", "/"], shown: "u /", does: "All sessions, search", run: () => this.el.querySelector<HTMLElement>("a[data-own]")?.click() },
      { keys: ["Escape"], shown: "Esc", does: "Leave what has the focus", run: () => (document.activeElement as HTMLElement | null)?.blur() },
    ]);
  }
}
