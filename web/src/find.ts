// Find within a session: in all of its entries, also those that are not in the page.
import type { Entry } from "./api";
import { fill, h, icon } from "./dom";
import { unfold, wordsOf } from "./entry";
import type { Log } from "./log";
import type { Talk } from "./talk";

const typing = 150; // ms
const mostMarks = 200; // in one entry

/** Find is a bar above the conversation. What is found is marked there. */
export class Find {
  readonly el: HTMLElement;
  private field = h("input", { type: "search", placeholder: "Find in this session", "aria-label": "Find in this session", spellcheck: false, oninput: () => this.later(), onkeydown: (e: KeyboardEvent) => this.key(e) });
  private count = h("output", { class: "clock" });
  private words = "";
  private hits: number[] = []; // indexes of entries
  private here = ""; // id of the entry that was gone to
  private nth = 0; // mark in there
  private lower = new WeakMap<Entry, string>();
  private timer = 0;
  private search = new AbortController();

  constructor(private log: Log, private talk: Talk, private changed: (words: string) => void) {
    const button = (name: "up" | "down" | "close", title: string, run: () => void): HTMLElement => h("button", { type: "button", class: "quiet", title, "aria-label": title, onclick: run }, icon(name));
    this.el = h("search", { class: "find", hidden: true }, h("label", { class: "search" }, icon("search"), this.field), this.count,
      button("up", "Previous (Shift+Enter)", () => void this.step(-1)), button("down", "Next (Enter)", () => void this.step(1)), button("close", "Close (Esc)", () => this.close()));
    talk.ondraw = (_, el) => this.mark(el);
  }

  /** open shows the bar, with words that are looked for at once. */
  open(words = ""): void {
    this.el.hidden = false;
    if (words) this.field.value = words;
    else this.field.select();
    this.field.focus({ preventScroll: true });
    if (this.field.value !== this.words) void this.look(false);
  }

  /** show is open for words that came with the address: the reader stays where he is. */
  show(words: string): void {
    this.el.hidden = false;
    this.field.value = words;
    void this.look(false);
  }

  close(): void {
    this.search.abort();
    this.el.hidden = true;
    this.field.value = "";
    void this.look(false);
    this.talk.el.focus({ preventScroll: true });
  }

  /** stop ends a search that goes on. */
  stop(): void {
    clearTimeout(this.timer);
    this.search.abort();
  }

  get focused(): boolean { return document.activeElement === this.field; }

  /** step goes to the next (1) or previous (-1) mark. */
  async step(by: 1 | -1): Promise<void> {
    if (this.el.hidden) return;
    if (this.field.value !== this.words) await this.look(false);
    const marks = this.marks(this.here);
    if (marks[this.nth + by]) return this.reach(marks, this.nth + by);
    if (!this.hits.length) return;
    const from = this.here ? this.log.index(this.here) : this.talk.index;
    const next = by > 0 ? this.hits.find((i) => (this.here ? i > from : i >= from)) ?? this.hits[0]! : this.hits.findLast((i) => i < from) ?? this.hits.at(-1)!;
    this.go(next, by);
  }

  private go(index: number, by: 1 | -1): void {
    this.here = this.log.at(index)!.id;
    if (!this.talk.row(this.here)) this.talk.go(index);
    const el = this.talk.row(this.here);
    for (const d of el?.querySelectorAll<HTMLDetailsElement>("details.fold:not([open])") ?? []) unfold(d);
    if (el) this.mark(el);
    const marks = this.marks(this.here);
    this.reach(marks, by > 0 ? 0 : marks.length - 1);
    if (el && !marks.length) this.talk.into(el);
    this.tell();
  }

  private reach(marks: HTMLElement[], nth: number): void {
    this.nth = nth;
    for (const m of this.talk.el.querySelectorAll("mark.current")) m.classList.remove("current");
    marks[nth]?.classList.add("current");
    marks[nth]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (marks[nth]) this.talk.into(marks[nth], 60);
  }

  private marks(id: string): HTMLElement[] {
    return [...(this.talk.row(id)?.querySelectorAll<HTMLElement>("mark.first") ?? [])];
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(true), typing);
  }

  // look finds the entries that hold the words, and goes to the next one where asked.
  private async look(go: boolean): Promise<void> {
    clearTimeout(this.timer);
    this.search.abort();
    const { signal } = (this.search = new AbortController());
    this.words = this.field.value;
    this.here = "";
    this.hits = [];
    for (const el of this.talk.drawn()) this.mark(el);
    this.changed(this.words.trim());
    if (!this.words.trim()) return this.tell();
    const count = (): void => {
      this.hits = [];
      for (let i = 0; i < this.log.length; i++) if (this.holds(this.log.at(i))) this.hits.push(i);
      this.tell();
    };
    count();
    await this.log.all(signal, count).catch((e: Error) => !signal.aborted && this.talk.onerror(e));
    if (go && !signal.aborted) await this.step(1);
  }

  private holds(e: Entry | undefined): boolean {
    if (!e) return false;
    let text = this.lower.get(e);
    if (text === undefined) this.lower.set(e, (text = lower(wordsOf(e))));
    return text.includes(lower(this.words));
  }

  private tell(): void {
    const at = this.here ? this.hits.indexOf(this.log.index(this.here)) + 1 : 0;
    fill(this.count, !this.words.trim() ? "" : `${at ? `${at} of ` : ""}${this.hits.length}${this.log.complete ? "" : "+"}`);
    this.count.title = "Messages with these words";
    this.el.classList.toggle("none", this.words.trim() !== "" && this.hits.length === 0 && this.log.complete);
  }

  private key(e: KeyboardEvent): void {
    if (e.key === "Enter") void this.step(e.shiftKey ? -1 : 1);
    else if (e.key === "Escape") this.close();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  // mark marks the words in an element, in place of what was marked there.
  private mark(el: HTMLElement): void {
    const old = el.querySelectorAll("mark.hit");
    for (const m of old) m.replaceWith(...m.childNodes);
    if (old.length) el.normalize();
    const words = lower(this.words);
    if (!words.trim()) return;
    const nodes: Text[] = [];
    for (let w = document.createTreeWalker(el, NodeFilter.SHOW_TEXT), n = w.nextNode(); n; n = w.nextNode()) if (!n.parentElement!.closest(".at, .lang")) nodes.push(n as Text);
    const text = lower(nodes.map((n) => n.data).join(""));
    let node = 0, begin = 0; // of the text node in which the next hit begins
    for (let at = text.indexOf(words), n = 0; at >= 0 && n < mostMarks; at = text.indexOf(words, at + words.length), n++) {
      for (let from = at; from < at + words.length; ) {
        while (begin + nodes[node]!.length <= from) begin += nodes[node++]!.length;
        let part = nodes[node]!;
        if (from > begin) {
          part = nodes[node] = part.splitText(from - begin);
          begin = from;
        }
        const length = Math.min(part.length, at + words.length - from);
        if (length < part.length) nodes.splice(node + 1, 0, part.splitText(length));
        const mark = h("mark", { class: from === at ? "hit first" : "hit" });
        part.replaceWith(mark);
        mark.append(part);
        from += length;
      }
    }
    if (this.here && el === this.talk.row(this.here)) this.marks(this.here)[this.nth]?.classList.add("current");
  }
}

// lower returns text in small letters, of the same length.
function lower(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text.replace(/./gsu, (c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c));
}
