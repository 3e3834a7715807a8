// The conversation of a session that runs elsewhere, as it goes on. Its terminal is not here.
import * as api from "./api";
import { Live, type Entries, type Hello, type Link, type Watcher } from "./live";
import { failed } from "./main";
import type { Listener } from "./stage";

/** Follow passes on what is said in a session, until it is over or may not be read any longer. */
export class Follow implements Watcher {
  private live: Live;
  private losses = 0;

  /** say shows how the connection is; "": all is well. */
  constructor(private id: string, private listener: Listener, private say: (text: string) => void) {
    this.live = new Live(id, this, () => listener.seen(), "none");
  }

  close(): void { this.live.close(); }

  link(state: Link): void {
    this.say(state.kind === "lost" ? "Connection lost. Trying again…" : state.kind === "refused" ? `Not followed: ${state.message}` : "");
    if (state.kind === "open") {
      if (this.losses) this.listener.again();
      this.losses = 0;
    } else if (state.kind === "lost" && ++this.losses > 1) void this.stillThere();
  }

  hello(h: Hello): void { this.listener.state(h.state); }
  entries(e: Entries): void { this.listener.entries(e); }
  state(s: api.State): void { this.listener.state(s); }
  exit(status: number): void { this.end(status); }
  snapshot(): void {}
  output(): void {}
  gap(): void {}
  resize(): void {}
  controlled(): void {}

  private end(status?: number): void {
    this.close();
    this.say("");
    this.listener.over(status);
  }

  // stillThere asks whether the session still runs, when its connection breaks.
  private async stillThere(): Promise<void> {
    try {
      const s = await api.session(this.id);
      if (s.status !== "live") this.end(s.exit_code);
    } catch (e) {
      if (!(e instanceof api.Refused)) return;
      this.close();
      failed(e);
    }
  }
}
