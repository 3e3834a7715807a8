// The terminal beside the conversation: live, and as it was at any moment.
import * as api from "./api";
import { PromptBox } from "./ask";
import { ControlBar } from "./control";
import { fill, h, icon, toast } from "./dom";
import { plural } from "./format";
import { keybar } from "./keybar";
import { Live, type Entries, type Hello, type Link, type Watcher } from "./live";
import { Replay } from "./replay";
import { Screen, type Xterm } from "./screen";

const mostWaiting = 8 << 20; // bytes

export interface Listener {
  entries(e: Entries): void;
  again(): void; // the connection was lost for a while: entries may be gone
  seen(): number; // the number of an entry from which on they are wanted
  state(s: api.State): void;
  over(status?: number): void; // the session has ended
  time(seconds: number, playing: boolean): void; // the replay has come here; -1: there is none any more
}

/** Stage holds a session's terminal. It is live while the session is, and a replay when a moment is asked for. */
export class Stage implements Watcher {
  readonly el: HTMLElement;
  readonly replay: Replay;
  private now?: Screen;
  private then: Screen;
  private live?: Live;
  private bar?: ControlBar;
  private ask?: PromptBox;
  private me = "";
  private loading?: Promise<void>;
  private stop = new AbortController();
  private polls = 0;
  private waiting = 0; // bytes that are not drawn yet

  private pane = h("div", { class: "pane" });
  private foot = h("div", { class: "foot" });
  private size = h("span", { class: "size" });
  private notice = h("div", { class: "notice", role: "status", hidden: true });
  private tabs = h("div", { class: "switch", role: "group", "aria-label": "Show", hidden: true });
  private countdown = 0;

  constructor(private xterm: Xterm, private session: api.Session, private write: boolean, private listener: Listener) {
    this.then = new Screen(xterm);
    this.replay = new Replay(this.then);
    this.replay.ontime = (t, playing) => this.listener.time(t, playing);
    this.then.term.onResize(({ cols, rows }) => !this.showsLive && this.sized(cols, rows));
    const zoom = h("button", { type: "button", class: "quiet", title: "Whole screen, or text that can be read (z)", "aria-label": "Zoom", onclick: () => this.zoom() }, icon("zoom"));
    this.el = h("section", { id: "stage", "aria-label": "Terminal" }, h("div", { class: "head" }, this.tabs, this.notice, h("span", { class: "gap" }), this.size, zoom), this.pane, this.foot);
  }

  /** open begins, once the element is in the page. The recording of a past session that is not in view is not asked for. */
  open(inView: boolean): void {
    if (this.session.attachable) this.attach();
    else if (inView) void this.showReplay();
  }

  close(): void {
    this.stop.abort();
    clearInterval(this.countdown);
    this.replay.pause();
    this.bar?.close();
    this.live?.close();
    this.now?.close();
    this.then.close();
  }

  get showsLive(): boolean { return this.now !== undefined && this.pane.contains(this.now.el); }
  get seq(): number { return this.live?.seq ?? -1; }

  /** seek shows the moment, in seconds since the session's start, and goes to the replay for it. */
  async seek(seconds: number): Promise<void> {
    if (this.live && seconds > this.replay.length) this.loading = undefined; // it has gone on since
    await this.showReplay();
    if (this.live && seconds > this.replay.length) { // the recorder saves once a second
      await new Promise((done) => setTimeout(done, 1200));
      this.loading = undefined;
      await this.showReplay();
    }
    await this.replay.seek(seconds);
  }

  /** showLive goes back to what happens now. */
  showLive(): void {
    if (!this.now || !this.bar) return;
    this.replay.pause();
    this.listener.time(-1, false);
    this.put(this.now, ...(this.ask ? [this.ask.el] : []), this.bar.el, keybar(this.now, (keys) => this.type(keys)));
    this.sized(this.now.term.cols, this.now.term.rows);
    this.choose();
  }

  async showReplay(): Promise<void> {
    if (!this.pane.contains(this.then.el)) {
      this.put(this.then, this.replay.el);
      this.choose();
    }
    await (this.loading ??= this.load());
  }

  zoom(): void {
    (this.showsLive ? this.now : this.then)?.zoom();
  }

  control(): void {
    if (this.showsLive) this.bar?.focus();
  }

  // --- what the session says

  link(state: Link): void {
    clearInterval(this.countdown);
    this.el.dataset.link = state.kind;
    if (state.kind === "open") {
      this.polls = 0;
      if (state.resumed) {
        this.listener.again();
        toast("Connected again: resumed where it broke off");
      }
      return this.say();
    }
    if (state.kind === "connecting") return this.say("Connecting…");
    if (state.kind === "refused") return this.say(`Not attached: ${state.message}`);
    if (state.kind === "over") return this.say();
    this.bar?.lost();
    const again = h("button", { type: "button", class: "button", onclick: () => this.live?.connect() }, "Now");
    const tell = (): void => this.say("Connection lost. Next try in ", `${Math.max(0, Math.ceil((state.retryAt - Date.now()) / 1000))} s `, again);
    tell();
    this.countdown = setInterval(tell, 1000);
    if (++this.polls > 1) void this.stillThere();
  }

  hello(h: Hello): void {
    this.me = h.viewer;
    this.resize(h.cols, h.rows);
    this.state(h.state);
    this.bar?.set(h.control, this.me);
  }

  snapshot(cols: number, rows: number, data: Uint8Array): void {
    this.now?.reset();
    this.resize(cols, rows);
    void this.now?.write(data);
  }

  // output draws. A flood that the page cannot keep up with is left out: when what waits is drawn, a fresh screen is asked for.
  output(data: Uint8Array): void {
    this.waiting += data.length;
    if (this.waiting > mostWaiting) this.live?.pause();
    void this.now?.write(data).then(() => {
      this.waiting -= data.length;
      if (this.waiting === 0 && this.live?.paused) this.live.connect();
    });
  }

  gap(bytes: number): void { toast(`${plural(bytes, "byte")} of output could not be had`, true); }
  entries(e: Entries): void { this.listener.entries(e); }
  state(s: api.State): void {
    this.ask?.state(s);
    this.listener.state(s);
  }
  controlled(c: api.Control): void { this.bar?.set(c, this.me); }

  resize(cols: number, rows: number): void {
    this.now?.resize(cols, rows);
    if (this.showsLive) this.sized(cols, rows);
  }

  exit(status: number): void {
    this.end(status);
  }

  // --- ours

  private attach(): void {
    const now = (this.now = new Screen(this.xterm));
    now.term.options.convertEol = this.session.process !== undefined && !this.session.asked?.pty; // the lines of a pipe end without a carriage return
    this.live = new Live(this.session.id, this, () => this.listener.seen());
    this.bar = new ControlBar(this.live, now, this.write);
    if (this.write) this.ask = new PromptBox(this.session.id);
    now.el.classList.add("now");
    now.onleave = () => this.bar?.ask("release");
    now.onrefused = () => this.live && this.bar?.refuse();
    this.showLive();
  }

  // end leaves the live terminal as it was last; from now on there is only the replay.
  private end(status?: number): void {
    this.live?.close();
    this.bar?.close();
    this.loading = undefined; // what is loaded is not all
    fill(this.foot, h("div", { class: "control" }, h("span", { class: "who" }, status === undefined ? "The session is over" : `Exited with status ${status}`), h("span", { class: "gap" }), h("button", { type: "button", class: "button strong", onclick: () => void this.seek(0).then(() => this.replay.toggle()) }, "Replay")));
    this.el.dataset.link = "over";
    this.choose();
    this.say();
    this.listener.over(status);
  }

  // stillThere asks whether the session is still live, when it does not answer.
  private async stillThere(): Promise<void> {
    const s = await api.session(this.session.id).catch(() => undefined);
    if (s && s.status !== "live") this.end(s.exit_code);
  }

  private type(keys: Uint8Array): void {
    this.live?.type(keys).catch((e: Error) => toast(`Not typed: ${e.message}`, true));
  }

  private async load(): Promise<void> {
    this.say("Loading the recording…");
    try {
      const cast = await api.file(this.session.id, "cast2", {}, this.stop.signal);
      await this.replay.load(await cast.text(), this.stop.signal);
      this.say(this.replay.loaded ? "" : "Nothing was recorded");
    } catch (e) {
      this.loading = undefined;
      if (!this.stop.signal.aborted) this.say(`No recording: ${(e as Error).message}`);
    }
  }

  private put(screen: Screen, ...below: HTMLElement[]): void {
    fill(this.pane, screen.el);
    fill(this.foot, ...below);
    if (!screen.term.element) screen.open();
    else screen.fit();
  }

  private choose(): void {
    const tab = (name: string, on: boolean, run: () => void): HTMLElement => h("button", { type: "button", "data-tab": name.toLowerCase(), "aria-pressed": String(on), onclick: run }, name);
    this.tabs.hidden = !this.now;
    fill(this.tabs, tab(this.el.dataset.link === "over" ? "End" : "Live", this.showsLive, () => this.showLive()), tab("Replay", !this.showsLive, () => void this.seek(Math.max(0, this.replay.loaded ? this.replay.seconds : 0))));
    this.el.dataset.shows = this.showsLive ? "live" : "replay";
  }

  private sized(cols: number, rows: number): void {
    fill(this.size, `${cols} × ${rows}`);
  }

  private say(...what: (string | Node)[]): void {
    const text = what.filter(Boolean);
    this.notice.hidden = text.length === 0;
    fill(this.notice, ...text);
  }
}
