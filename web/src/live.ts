// A live session over a WebSocket: what it says as it comes, once and in order; after a loss it is gone back to by itself.
import { livePath, type Control, type Entry, type Session, type State } from "./api";
import * as frames from "./frames";

export interface Hello { viewer: string; session: Session; cols: number; rows: number; seq: number; state: State; control: Control }
export interface Entries { entries: Entry[] | null; gone?: string[]; title?: string }
export type Link = { kind: "connecting" } | { kind: "open"; resumed: boolean } | { kind: "lost"; retryAt: number } | { kind: "refused"; message: string } | { kind: "over" };

/** Watcher is told what a session says. Bytes come in order, each once; what was missed is told by gap. */
export interface Watcher {
  link(state: Link): void;
  hello(h: Hello): void;
  snapshot(cols: number, rows: number, data: Uint8Array): void;
  output(data: Uint8Array): void;
  gap(bytes: number): void;
  resize(cols: number, rows: number): void;
  entries(e: Entries): void;
  state(s: State): void;
  controlled(c: Control): void;
  exit(status: number): void;
}

const longestWait = 8000, quiet = 45_000, pingEvery = 20_000, longestInput = 60_000; // ms, ms, ms, bytes

/** Live is a connection to a live session. */
export class Live {
  seq = -1; // of the next byte wanted; -1: none came yet
  paused = false;
  private socket?: WebSocket;
  private losses = 0;
  private timer = 0;
  private heard = 0;
  private over = false;
  private nextId = 1;
  private asked = new Map<number, (error?: string) => void>();
  private pulse = setInterval(() => this.beat(), pingEvery);
  private again = (): void => void (document.visibilityState === "visible" && this.timer && this.connect());

  /** seen returns the number of the last entry that the watcher has for certain. With the mode "none" only what is said comes. */
  constructor(private id: string, private watcher: Watcher, private seen: () => number, private mode: "screen" | "none" = "screen") {
    addEventListener("online", this.again);
    document.addEventListener("visibilitychange", this.again);
    this.connect();
  }

  close(): void {
    this.over = true;
    clearInterval(this.pulse);
    clearTimeout(this.timer);
    removeEventListener("online", this.again);
    document.removeEventListener("visibilitychange", this.again);
    this.socket?.close();
  }

  /** connect connects now, whatever is left of the wait. */
  connect(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.paused = false;
    this.watcher.link({ kind: "connecting" });
    const url = new URL(livePath(this.id), location.href.replace(/^http/, "ws"));
    const socket = new WebSocket(url, "ptyrec.v1");
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.heard = Date.now();
      socket.send(frames.struct("h", { version: 1, name: "web", kind: "human", mode: this.mode, from: this.seq < 0 ? undefined : this.seq, entries: this.seen() }));
    };
    socket.onmessage = (m) => {
      if (this.socket !== socket) return;
      this.heard = Date.now();
      const f = m.data instanceof ArrayBuffer ? frames.read(m.data) : undefined;
      if (f) this.take(f);
    };
    socket.onclose = () => this.socket === socket && this.lost();
  }

  /** pause lets what comes go by, until connect asks for a fresh screen. */
  pause(): void {
    const left = this.socket;
    this.socket = undefined;
    this.paused = true;
    this.seq = -1;
    left?.close();
  }

  /** type sends keys; the promise fails where they are refused, or nobody can tell. */
  async type(keys: Uint8Array): Promise<void> {
    for (let at = 0; at < keys.length; at += longestInput) await this.ask((id) => frames.input(id, keys.subarray(at, at + longestInput)));
  }

  /** control asks for "take", "release", "grant" (for so many seconds; 0: until it is taken back) or "revoke". */
  control(action: string, seconds = 0): Promise<void> {
    return this.ask((id) => frames.struct("c", { id, action, for: seconds * 1e9 }));
  }

  size(cols: number, rows: number): Promise<void> {
    return this.ask((id) => frames.struct("r", { id, cols, rows }));
  }

  private ask(make: (id: number) => ArrayBuffer): Promise<void> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      if (this.socket?.readyState !== WebSocket.OPEN) return reject(new Error("not connected"));
      this.asked.set(id, (error) => (error ? reject(new Error(error)) : resolve()));
      this.socket.send(make(id));
    });
  }

  private take(f: frames.Frame): void {
    const w = this.watcher;
    switch (f.type) {
      case "H": return this.welcome(frames.json<Hello>(f));
      case "F": return this.refused(frames.json<{ code: string; message: string }>(f));
      case "S": {
        const s = frames.snapshot(f);
        this.seq = s.seq;
        return w.snapshot(s.cols, s.rows, s.data);
      }
      case "O": return this.output(frames.output(f));
      case "G": {
        const gap = frames.json<{ from: number; to: number }>(f);
        this.seq = gap.to;
        return w.gap(gap.to - gap.from);
      }
      case "R": {
        const size = frames.json<{ cols: number; rows: number }>(f);
        return w.resize(size.cols, size.rows);
      }
      case "E": return w.entries(frames.json<Entries>(f));
      case "T": return w.state(frames.json<State>(f));
      case "C": return w.controlled(frames.json<Control>(f));
      case "A": {
        const ack = frames.json<{ id: number; error?: { message: string } }>(f);
        this.asked.get(ack.id)?.(ack.error?.message);
        this.asked.delete(ack.id);
        return;
      }
      case "X": {
        this.finish({ kind: "over" });
        return w.exit(frames.json<{ status: number }>(f).status);
      }
    }
  }

  private welcome(hello: Hello): void {
    this.losses = 0;
    this.watcher.hello(hello);
    this.watcher.link({ kind: "open", resumed: this.seq >= 0 });
  }

  // output passes on what was not seen yet: after a reconnect bytes may come twice on the wire, and only once from here.
  private output({ seq, data }: { seq: number; data: Uint8Array }): void {
    const seen = this.seq < 0 ? 0 : this.seq - seq;
    if (seen < 0) this.watcher.gap(-seen);
    if (seen >= data.length && data.length > 0) return;
    this.seq = seq + data.length;
    this.watcher.output(seen > 0 ? data.subarray(seen) : data);
  }

  private refused(error: { code: string; message: string }): void {
    if (error.code === "ended") return this.finish({ kind: "over" });
    this.finish({ kind: "refused", message: error.message });
  }

  private finish(link: Link): void {
    this.over = true;
    clearInterval(this.pulse);
    this.watcher.link(link);
  }

  private lost(): void {
    for (const answer of this.asked.values()) answer("the connection was lost");
    this.asked.clear();
    if (this.over) return;
    const wait = Math.min(longestWait, 500 * 2 ** this.losses++);
    this.timer = setTimeout(() => this.connect(), wait);
    this.watcher.link({ kind: "lost", retryAt: Date.now() + wait });
  }

  // beat notices a connection that died without a word.
  private beat(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    if (Date.now() - this.heard > quiet) {
      const dead = this.socket;
      this.socket = undefined;
      dead.close();
      this.lost();
    } else this.socket.send(frames.frame("p", new Uint8Array()));
  }
}

