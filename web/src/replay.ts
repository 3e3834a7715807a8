// A recording, played into a terminal: seek, speed, and pauses cut short.
import { fill, h, icon } from "./dom";
import { clock } from "./format";
import type { Screen } from "./screen";

interface Moment { at: number; kind: string; data: string } // at: seconds since the session's start

const longestPause = 2, speeds = [1, 2, 4, 8, 0.5]; // seconds; times
const batch = 1 << 15; // characters that the terminal takes at once, before the page may breathe
const ahead = 32; // batches that wait for the terminal
const slice = 8; // ms of work before it may

/** Replay plays the events of an asciicast on a screen. Times are seconds of the recording; those of its bar leave out long pauses. */
export class Replay {
  readonly el: HTMLElement;
  ontime: (seconds: number, playing: boolean) => void = () => {};
  private moments: Moment[] = [];
  private shown: number[] = []; // when each moment comes on the bar
  private size = { cols: 80, rows: 24 };
  private next = 0; // moment to write
  private bar = 0; // the position of the bar
  private playing = false;
  private short = true;
  private speed = 1;
  private job = 0; // the newest seek; an older one stops
  private written: Promise<void> = Promise.resolve(); // kept when the terminal has taken all it was given

  private button = h("button", { class: "round", type: "button", onclick: () => this.toggle() });
  private slider = h("input", { type: "range", min: "0", max: "0", step: "any", value: "0", "aria-label": "Position", oninput: () => void this.go(Number(this.slider.value)) });
  private label = h("output", { class: "clock" });
  private ticks = h("div", { class: "ticks", "aria-hidden": "true" });

  constructor(private screen: Screen) {
    const speed = h("button", { type: "button", class: "quiet", title: "Speed (< >)", onclick: () => this.faster(1) }, "1×");
    this.onspeed = () => fill(speed, `${this.speed}×`);
    const pauses = h("button", { type: "button", class: "quiet", title: "Cut pauses longer than 2 s short", "aria-pressed": "true", onclick: () => {
      this.short = !this.short;
      pauses.setAttribute("aria-pressed", String(this.short));
      const at = this.seconds;
      this.lay();
      this.bar = this.toBar(at);
      this.tell();
    } }, "Skip pauses");
    this.el = h("div", { class: "replay", role: "group", "aria-label": "Replay" }, this.button, h("div", { class: "slide" }, this.ticks, this.slider), this.label, speed, pauses);
    this.tell();
  }

  private onspeed: () => void;

  /** load takes an asciicast of version 2. Lines that are cut off are left out. */
  async load(cast: string, signal: AbortSignal): Promise<void> {
    const moments: Moment[] = [];
    let began = performance.now();
    for (let at = 0, end = 0; end >= 0; at = end + 1) {
      end = cast.indexOf("\n", at);
      const line = cast.slice(at, end < 0 ? undefined : end);
      if (performance.now() - began > slice) {
        await new Promise((on) => setTimeout(on));
        if (signal.aborted) return;
        began = performance.now();
      }
      try {
        const value: unknown = JSON.parse(line);
        if (Array.isArray(value)) moments.push({ at: value[0] as number, kind: value[1] as string, data: value[2] as string });
        else if (value && typeof value === "object") {
          const { width, height } = value as { width: number; height: number };
          this.size = { cols: width, rows: height };
        }
      } catch { /* the end of a recording that goes on */ }
    }
    this.moments = moments.filter((m) => m.kind === "o" || m.kind === "r");
    this.lay();
    this.tell();
  }

  get loaded(): boolean { return this.moments.length > 0; }
  get length(): number { return this.moments.at(-1)?.at ?? 0; }
  get seconds(): number { return this.toSeconds(this.bar); }

  /** mark puts ticks on the bar, one for each prompt. */
  mark(times: number[]): void {
    const end = this.shown.at(-1) || 1;
    fill(this.ticks, ...times.map((t) => {
      const tick = h("i");
      tick.style.left = `${Math.min(100, (100 * this.toBar(t)) / end)}%`;
      return tick;
    }));
  }

  /** seek shows the screen as it was then. */
  seek(seconds: number): Promise<void> {
    return this.go(this.toBar(seconds));
  }

  /** skip goes on, or back, by seconds of the bar. */
  skip(seconds: number): void {
    void this.go(this.bar + seconds);
  }

  faster(by: 1 | -1): void {
    this.speed = speeds[(speeds.indexOf(this.speed) + by + speeds.length) % speeds.length]!;
    this.onspeed();
  }

  toggle(): void {
    if (this.playing) return this.pause();
    this.playing = true;
    const begin = this.next >= this.moments.length ? this.go(0) : Promise.resolve();
    void begin.then(() => this.run());
    this.tell();
  }

  pause(): void {
    this.playing = false;
    this.job++;
    this.tell();
  }

  private run(): void {
    const job = ++this.job;
    let before = performance.now();
    const frame = async (now: number): Promise<void> => {
      if (job !== this.job || !this.playing) return;
      this.bar += ((now - before) / 1000) * this.speed;
      before = now;
      await this.write(this.bar, job);
      if (job !== this.job) return;
      if (this.next >= this.moments.length) return this.pause();
      this.tell();
      requestAnimationFrame((t) => void frame(t));
    };
    requestAnimationFrame((t) => void frame(t));
  }

  private async go(bar: number): Promise<void> {
    const job = ++this.job;
    this.bar = Math.max(0, Math.min(bar, this.shown.at(-1) ?? 0));
    const before = this.next > 0 ? this.shown[this.next - 1]! : 0;
    if (this.bar < before || this.next === 0) {
      await this.written;
      if (job !== this.job) return;
      this.next = 0;
      this.screen.reset();
      this.screen.resize(this.size.cols, this.size.rows);
    }
    this.tell();
    await this.write(this.bar, job);
    if (job === this.job && this.playing) this.run();
  }

  // write brings the screen to the position of the bar, unless another job begins.
  private async write(bar: number, job: number): Promise<void> {
    for (let n = 1; job === this.job && this.next < this.moments.length && this.shown[this.next]! <= bar; n++) {
      const m = this.moments[this.next]!;
      if (m.kind === "r") {
        await this.written;
        if (job !== this.job) return;
        const [cols, rows] = m.data.split("x").map(Number);
        this.next++;
        this.screen.resize(cols!, rows!);
        continue;
      }
      let text = "";
      for (; this.next < this.moments.length && this.shown[this.next]! <= bar && this.moments[this.next]!.kind === "o" && text.length < batch; this.next++) text += this.moments[this.next]!.data;
      this.written = this.screen.write(text);
      if (n % ahead === 0) await this.written;
    }
    await this.written;
  }

  // lay says when each moment comes on the bar.
  private lay(): void {
    let bar = 0, before = 0;
    this.shown = this.moments.map((m) => {
      const pause = m.at - before;
      before = m.at;
      return (bar += this.short ? Math.min(pause, longestPause) : pause);
    });
    this.slider.max = String(bar);
  }

  private toBar(seconds: number): number {
    const i = after(this.moments, (m) => m.at <= seconds);
    const begin = i ? { at: this.moments[i - 1]!.at, bar: this.shown[i - 1]! } : { at: 0, bar: 0 };
    return Math.min(begin.bar + seconds - begin.at, this.shown[i] ?? begin.bar);
  }

  private toSeconds(bar: number): number {
    const i = after(this.shown, (s) => s <= bar);
    const begin = i ? { at: this.moments[i - 1]!.at, bar: this.shown[i - 1]! } : { at: 0, bar: 0 };
    return begin.at + bar - begin.bar;
  }

  private tell(): void {
    this.slider.value = String(this.bar);
    this.slider.setAttribute("aria-valuetext", clock(this.bar));
    this.slider.style.setProperty("--done", `${(100 * this.bar) / (this.shown.at(-1) || 1)}%`);
    fill(this.label, `${clock(this.bar)} / ${clock(this.shown.at(-1) ?? 0)}`);
    const name = this.playing ? "Pause" : "Play";
    if (this.button.title !== `${name} (space)`) {
      Object.assign(this.button, { title: `${name} (space)`, ariaLabel: name });
      fill(this.button, icon(this.playing ? "pause" : "play"));
    }
    this.ontime(this.seconds, this.playing);
  }
}

// after returns how many items satisfy is. They come before all that do not.
function after<T>(items: T[], is: (item: T) => boolean): number {
  let low = 0, high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(items[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
