// A terminal on the page: xterm.js, drawn as large as its pane allows. It never asks for another size of the session's window.
import type { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { h } from "./dom";
import { inCells } from "./hidden";

const theme = {
  background: "#14161b", foreground: "#d9dce3", cursor: "#d9dce3", cursorAccent: "#14161b", selectionBackground: "#3d59a1aa",
  black: "#23262e", red: "#e5606b", green: "#7fc47f", yellow: "#dfb35c", blue: "#6ea2f0", magenta: "#b88be8", cyan: "#5fbcc4", white: "#c9ced8",
  brightBlack: "#6b7280", brightRed: "#f2808a", brightGreen: "#9bdb9b", brightYellow: "#f0cd7f", brightBlue: "#93bcf7", brightMagenta: "#cfaaf5", brightCyan: "#86d6dd", brightWhite: "#f4f6fa",
};
const font = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const largest = 18, smallest = 9, readable = 13; // font sizes in pixels
const edge = { x: 30, y: 28 }; // around the cells, in pixels
const bar = 14; // of the scrollbar beside the cells, in pixels: --bar in style.css

/** Xterm is the script xterm.ts, once it is loaded. */
export type Xterm = typeof import("./xterm");

/** Screen is a terminal in a pane. */
export class Screen {
  readonly el = h("div", { class: "screen" });
  readonly term: Terminal;
  onkeys: (keys: Uint8Array) => void = () => {};
  onleave: () => void = () => {};
  onrefused: () => void = () => {}; // a key that nobody takes
  private inner = h("div", { class: "scaled" });
  private box = h("div", {}, this.inner);
  private utf8 = new TextDecoder();
  private large = false;
  private watch = new ResizeObserver(() => this.fit());

  constructor({ Terminal, UnicodeGraphemesAddon }: Xterm) {
    this.term = new Terminal({
      allowProposedApi: true, cols: 80, rows: 24, fontFamily: font, fontSize: 12, theme, scrollback: 5000, disableStdin: true, cursorInactiveStyle: "outline", screenReaderMode: false,
      linkHandler: { activate: (_, uri) => /^https?:/i.test(uri) && window.open(uri, "_blank", "noopener,noreferrer") },
    });
    this.term.loadAddon(new UnicodeGraphemesAddon());
    this.term.attachCustomKeyEventHandler((e) => this.taken(e));
    const bytes = new TextEncoder();
    this.term.onData((data) => this.onkeys(bytes.encode(data)));
    this.term.onBinary((data) => this.onkeys(Uint8Array.from(data, (c) => c.charCodeAt(0))));
    this.el.addEventListener("click", () => String(getSelection()) || this.term.focus());
    silence(this.term);
  }

  /** open draws the terminal, once its element is in the page. */
  open(): void {
    this.el.append(this.box);
    this.term.open(this.inner);
    this.term.textarea?.setAttribute("aria-label", "Terminal");
    this.watch.observe(this.el); // which fits it, in a task of its own
  }

  close(): void {
    this.watch.disconnect();
    this.term.dispose();
  }

  /** write shows output; the promise is kept when it is on the screen. */
  write(data: Uint8Array | string): Promise<void> {
    const text = typeof data === "string" ? data : this.utf8.decode(data, { stream: true });
    return new Promise((done) => this.term.write(inCells(text), done));
  }

  /** reset clears all, as a new terminal is. */
  reset(): void {
    this.utf8 = new TextDecoder();
    this.term.reset();
  }

  resize(cols: number, rows: number): void {
    if (cols > 0 && rows > 0 && (cols !== this.term.cols || rows !== this.term.rows)) this.term.resize(cols, rows);
    this.fit();
  }

  /** typing lets keys through to onkeys, or not. */
  typing(on: boolean): void {
    this.term.options.disableStdin = !on;
    this.el.classList.toggle("typing", on);
    if (on) this.term.focus();
    else this.term.blur();
  }

  /** zoom changes between the whole screen and a size that can be read, which scrolls. */
  zoom(): boolean {
    this.large = !this.large;
    this.fit();
    return this.large;
  }

  /** room returns how many cells fill the pane at a readable size of text. */
  room(): { cols: number; rows: number } {
    const cell = this.cell();
    const scale = readable / (this.term.options.fontSize ?? readable);
    return { cols: Math.max(20, Math.floor((this.el.clientWidth - edge.x - bar) / (cell.width * scale))), rows: Math.max(5, Math.floor((this.el.clientHeight - edge.y) / (cell.height * scale))) };
  }

  // fit chooses the font size with which the window fills its pane. Letters that are too small to be laid out well are drawn larger and scaled.
  fit(): void {
    const width = this.el.clientWidth - edge.x, height = this.el.clientHeight - edge.y;
    if (!this.term.element || width <= 0 || height <= 0) return;
    const scaleOf = (): number => Math.min(width / (this.cell().width * this.term.cols + bar), height / (this.cell().height * this.term.rows));
    this.scale(1);
    if (this.large) {
      this.term.options.fontSize = readable;
      return;
    }
    for (let tries = 0; tries < 4; tries++) { // cells are whole pixels: measure what a size results in
      const now = this.term.options.fontSize ?? 12;
      const want = Math.min(largest, Math.max(smallest, Math.floor(now * scaleOf() * 4) / 4));
      if (want === now || (tries > 1 && scaleOf() >= 1)) break;
      this.term.options.fontSize = want;
    }
    if (scaleOf() < 1) this.scale(scaleOf());
  }

  private scale(by: number): void {
    const { width, height } = this.cell();
    const [w, h] = [width * this.term.cols + bar, height * this.term.rows];
    this.inner.style.cssText = by === 1 ? "" : `width: ${w}px; height: ${h}px; transform: scale(${by})`;
    this.box.style.cssText = by === 1 ? "" : `box-sizing: content-box; width: ${w * by}px; height: ${h * by}px`;
  }

  private cell(): { width: number; height: number } {
    const box = this.term.element?.querySelector(".xterm-screen");
    return { width: (box?.clientWidth || 1) / this.term.cols, height: (box?.clientHeight || 1) / this.term.rows };
  }

  // taken reports whether the terminal takes a key. Ctrl+] leaves it, as in `ptyrec attach`; without control the page gets all keys.
  private taken(e: KeyboardEvent): boolean {
    if (this.term.options.disableStdin) {
      if (e.type === "keydown" && e.key.length === 1 && !e.ctrlKey && !e.metaKey) this.onrefused();
      return false;
    }
    if (e.ctrlKey && e.key === "]") {
      if (e.type === "keydown") this.onleave();
      e.preventDefault();
      return false;
    }
    return true;
  }
}

// silence keeps the terminal from answering what the program asks its terminal: that is the business of the session's own.
function silence(term: Terminal): void {
  const swallow = (): boolean => true;
  for (const prefix of ["", ">", "=", "?"]) term.parser.registerCsiHandler({ prefix, final: "c" }, swallow); // device attributes
  for (const prefix of ["", "?"]) {
    term.parser.registerCsiHandler({ prefix, final: "n" }, swallow); // status, cursor position
    term.parser.registerCsiHandler({ prefix, intermediates: "$", final: "p" }, swallow); // modes
  }
  term.parser.registerDcsHandler({ intermediates: "$", final: "q" }, swallow);
  for (const id of [4, 10, 11, 12]) term.parser.registerOscHandler(id, (data) => data.includes("?")); // colours
  term.parser.registerCsiHandler({ prefix: "?", final: "h" }, (params) => params.length === 1 && params[0] === 1004); // the page's focus is not the terminal's
}
