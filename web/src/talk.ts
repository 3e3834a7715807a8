// The conversation: a list of which only the visible part is in the page.
import type { Entry } from "./api";
import { fill, h, icon } from "./dom";
import { draw, isShown, likely, unfold } from "./entry";
import type { Log } from "./log";

const overscan = 500; // pixels above and below what is visible
const slice = 8, mostInView = 30; // ms in a frame that rows beyond what is visible, and those in view, may take
const tallest = 12_000_000; // pixels: browsers cannot make taller elements
const gapAbove = 70; // pixels above an entry that was jumped to
const pages = 5; // requests in a row for what is missing in the same place

interface Row { entry: Entry; el: HTMLElement; top: number }
interface Budget { beyond: number; inView: number; drawn: boolean } // when to stop, and whether a row was drawn: one always is

/** Place is where the reader is: so many pixels below the top of an entry, by its number. */
export interface Place { seq: number; below: number }

/** Talk shows a session's entries. Its element scrolls. Rows lie where the heights of those before them put them: measured ones, else likely ones. */
export class Talk {
  readonly el = h("section", { id: "talk", tabIndex: -1, "aria-label": "Conversation" });
  onseek: (entry: Entry, go: boolean) => void = () => {}; // go: the terminal is what the reader wants to see
  onplace: (place: Place) => void = () => {}; // the reader has scrolled
  ondraw: (entry: Entry, el: HTMLElement) => void = () => {}; // after an entry was drawn
  onerror: (e: unknown) => void = () => {};
  private list = h("div", { class: "entries", role: "feed", "aria-label": "Messages" });
  private jump = h("button", { class: "jump", type: "button", hidden: true, onclick: () => this.toEnd() }, icon("down"), "Newest");
  private rows = new Map<string, Row>(); // in the page, by id
  private heights = new Map<string, number>(); // measured, by id
  private open = new Set<string>(); // entries whose details are open, by id
  private tops = new Float64Array(1); // of each entry and of the end
  private anchor: { id: string; below: number } | "end" | undefined; // what stays where it is while heights change
  private focused = ""; // id of the entry that has or had the focus
  private now = ""; // id of the message that a replay has come to
  private live = false;
  private scrolled = -1; // where we scrolled to ourselves
  private width = 0;
  private stacked = -1; // version of the log by which the rows lie; -1: heights have changed since
  private moment?: { seconds: number; scroll: boolean }; // that the replay has come to, while an earlier one is looked for
  private loading = false;
  private stepping: Promise<void> = Promise.resolve(); // a key may come while the step before waits for entries
  private frame = 0;
  private resized = new ResizeObserver((changes) => this.measured(changes));

  constructor(private log: Log, private started: number) {
    this.el.append(this.list, h("div", { class: "jumpbox" }, this.jump));
    this.el.addEventListener("scroll", () => this.onscroll(), { passive: true });
    this.el.addEventListener("focusin", (e) => (this.focused = this.idOf(e.target) ?? this.focused));
    this.resized.observe(this.el);
  }

  close(): void {
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
  }

  /** follow keeps the newest entry in view as the conversation grows, until the reader scrolls away. */
  follow(): void {
    this.live = true;
    this.toEnd();
  }

  /** over shows that the conversation no longer grows. */
  over(): void {
    this.live = false;
    this.jump.hidden = true;
  }

  /** changed draws what has changed in the log. */
  changed(): void {
    this.lay();
  }

  /** go brings an entry near the top, and focuses it if asked. */
  go(index: number, focus = false): void {
    const entry = this.log.at(index);
    if (!entry) return;
    this.goTo({ seq: entry.seq, below: -gapAbove }, index);
    if (focus) this.focus(entry.id);
  }

  /** goTo brings the reader back to a place. */
  goTo(place: Place, index = this.log.nearest(place.seq)): void {
    const entry = this.log.at(index);
    if (!entry) return;
    this.anchor = { id: entry.id, below: place.below };
    this.lay();
  }

  /** toEnd goes to the newest entry. */
  toEnd(): void {
    this.anchor = "end";
    this.jump.hidden = true;
    this.lay();
  }

  /** index returns that of the entry at the top of what is visible. */
  get index(): number { return this.indexAt(this.el.scrollTop + 1); }

  /** drawn returns the elements of all entries that are in the page. */
  drawn(): HTMLElement[] { return [...this.rows.values()].map((r) => r.el.firstElementChild as HTMLElement); }

  /** row returns an entry's element, if it is in the page. */
  row(id: string): HTMLElement | undefined { return this.rows.get(id)?.el.firstElementChild as HTMLElement | undefined; }

  /** into scrolls as little as shows an element of the list, which takes the place of what stayed before. */
  into(el: Element, margin = 12): void {
    const box = el.getBoundingClientRect(), view = this.el.getBoundingClientRect();
    const by = box.top < view.top + margin ? box.top - view.top - margin : box.bottom > view.bottom - margin ? Math.min(box.bottom - view.bottom + margin, box.top - view.top - margin) : 0;
    if (!by) return;
    this.el.scrollTop += by;
    this.onscroll();
  }

  /** mark shows which message a replay has come to, in seconds since the session's start. */
  async mark(seconds: number, scroll: boolean): Promise<void> {
    const looking = this.moment !== undefined;
    this.moment = { seconds, scroll };
    if (looking) return;
    try {
      for (let m; m !== this.moment; ) this.current(await this.before(this.started + (m = this.moment).seconds * 1000 + 50), m.scroll);
    } finally {
      this.moment = undefined;
    }
  }

  private current(found: Entry | undefined, scroll: boolean): void {
    if (!found || found.id === this.now) return;
    this.row(this.now)?.removeAttribute("aria-current");
    this.now = found.id;
    const el = this.row(found.id);
    el?.setAttribute("aria-current", "true");
    if (!scroll) return;
    if (el) this.into(el);
    else this.go(this.log.index(found.id));
  }

  /** step moves the focus to the next (1) or previous (-1) message. */
  step(by: 1 | -1): Promise<void> {
    return (this.stepping = this.stepping.then(() => this.next(by)).catch((e) => this.onerror(e)));
  }

  private async next(by: 1 | -1): Promise<void> {
    const here = this.rows.has(this.focused) && this.rows.get(this.focused)!.el.contains(document.activeElement) ? this.log.index(this.focused) : this.log.index(this.now);
    for (let i = here >= 0 ? here + by : by > 0 ? 0 : this.log.length - 1; i >= 0 && i < this.log.length; i += by) {
      if (!this.log.at(i) && !(await this.log.need(Math.max(0, i - 50), i + 50))) return;
      const entry = this.log.at(i);
      if (entry?.type === "message") return this.focus(entry.id);
    }
  }

  /** seekFocused goes to the moment of the message that has the focus. */
  seekFocused(): void {
    const row = [...this.rows.values()].find((r) => r.el.firstElementChild === document.activeElement);
    if (row) this.onseek(row.entry, true);
  }

  /** fold opens or folds the details of the message that has the focus, or else of all that are in the page. */
  fold(): void {
    const within = this.row(this.idOf(document.activeElement) ?? "");
    const all = [...(within?.querySelector("details") ? within : this.list).querySelectorAll<HTMLDetailsElement>("details.fold")];
    const open = !all.some((d) => d.open);
    for (const d of all) {
      if (open) unfold(d);
      else d.open = false;
    }
  }

  // --- where things are

  private focus(id: string): void {
    this.focused = id;
    if (!this.rows.has(id)) this.go(this.log.index(id));
    const el = this.row(id);
    el?.focus({ preventScroll: true });
    if (el) this.into(el);
  }

  private idOf(target: unknown): string | undefined {
    return target instanceof Element ? target.closest<HTMLElement>("[data-id]")?.dataset.id : undefined;
  }

  // before returns the last message at or before a time; entries that are missing there are fetched.
  private async before(limit: number): Promise<Entry | undefined> {
    let low = 0, high = this.log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (!this.log.at(middle) && !(await this.log.need(middle, middle))) return undefined;
      if (Date.parse(this.log.at(middle)?.at ?? "") <= limit) low = middle + 1;
      else high = middle;
    }
    for (let i = low - 1; i >= 0; i--) if (this.log.at(i)?.type !== "event") return this.log.at(i);
    return undefined;
  }

  private onscroll(): void {
    const top = this.el.scrollTop;
    if (Math.abs(top - this.scrolled) < 2) return;
    this.scrolled = top;
    const atEnd = this.el.scrollHeight - top - this.el.clientHeight < 40;
    const index = this.indexAt(top + 1);
    const entry = this.log.at(index);
    this.anchor = this.live && atEnd ? "end" : entry ? { id: entry.id, below: top - this.tops[index]! } : undefined;
    this.jump.hidden = !this.live || atEnd;
    this.later();
  }

  private later(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.lay());
  }

  // indexAt returns the index of the entry at so many pixels from the top.
  private indexAt(y: number): number {
    let low = 0, high = this.log.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle]! <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  // stack puts each entry under the one before it.
  private stack(): void {
    this.stacked = this.log.version;
    const n = this.log.length;
    if (this.tops.length !== n + 1) this.tops = new Float64Array(n + 1);
    const missing = Math.min(60, tallest / n), width = this.list.clientWidth;
    for (let i = 0, top = 0; i <= n; i++) {
      this.tops[i] = top;
      const e = i < n ? this.log.at(i) : undefined;
      top += e ? (this.heights.get(e.id) ?? Math.min(likely(e, width), tallest / n)) : missing;
    }
    this.list.style.height = `${this.tops[n]}px`;
  }

  // lay puts into the page what is visible, at the anchor. What is measured then may differ from what was likely: so it is done again.
  private lay(): void {
    cancelAnimationFrame(this.frame);
    if (!this.el.clientHeight) return; // it is done when the conversation is shown
    const now = performance.now(), budget = { beyond: now + slice, inView: now + mostInView, drawn: false };
    let all = true;
    for (let again = true, times = 0; again && times < 4; times++) {
      if (this.stacked !== this.log.version) this.stack();
      this.scroll();
      [again, all] = this.show(budget);
    }
    this.place();
    if (!all) this.later();
    void this.load();
  }

  private scroll(): void {
    const [index] = this.anchored();
    if (this.anchor === "end") this.el.scrollTop = this.el.scrollHeight;
    else if (index !== undefined) this.el.scrollTop = Math.round(this.tops[index]! + (this.anchor as { below: number }).below);
    this.scrolled = this.el.scrollTop;
  }

  // range returns the first and the last index of the entries in view, and so many pixels above and below.
  private range(beyond: number): [number, number] {
    const top = this.el.scrollTop;
    return [this.indexAt(top - beyond), this.indexAt(top + this.el.clientHeight + beyond)];
  }

  // show draws the rows that belong in the page, as long as there is time: that of the anchor, those in view, and those
  // near it. It reports whether a row is higher or lower than was thought, and whether all rows are drawn.
  private show(budget: Budget): [differs: boolean, all: boolean] {
    const [first, last] = this.range(0), [above, below] = this.range(overscan);
    const inView = Array.from({ length: last - first + 3 }, (_, i) => first - 1 + i); // with one more each way, where the focus goes next
    const wanted = new Set([...this.anchored(), ...this.kept(), ...(this.anchor === "end" ? inView.reverse() : inView)]);
    const shown: { i: number; row: Row }[] = [], fresh: Row[] = [];
    let all = true;
    const take = (i: number, until: number): void => {
      const entry = this.log.at(i);
      if (!entry || !isShown(entry)) return;
      let row = this.rows.get(entry.id);
      if (!row && budget.drawn && performance.now() > until) all = false;
      else {
        if (!row) {
          fresh.push((row = this.row_(entry)));
          budget.drawn = true;
        } else if (row.entry !== entry) this.update(row, entry);
        shown.push({ i, row });
      }
    };
    for (const i of wanted) take(i, budget.inView);
    for (let i = above; i <= below; i++) if (!wanted.has(i)) take(i, budget.beyond);
    shown.sort((a, b) => a.i - b.i);
    const ids = new Set(shown.map((s) => s.row.entry.id));
    for (const [id, row] of this.rows) if (!ids.has(id)) this.remove(id, row); // first, because rows that are moved lose focus and selection
    let before: Element | null = null;
    for (const { i, row } of shown) {
      const next: Element | null = before ? before.nextElementSibling : this.list.firstElementChild;
      if (next !== row.el) this.list.insertBefore(row.el, next);
      before = row.el;
      if (row.top !== this.tops[i]) row.el.style.top = `${(row.top = this.tops[i]!)}px`;
      const article = row.el.firstElementChild!;
      article.setAttribute("aria-posinset", String(i + 1));
      article.setAttribute("aria-setsize", String(this.log.length));
    }
    let differs = false;
    for (const row of fresh) differs = this.measure(row.entry.id, row.el.getBoundingClientRect().height) || differs;
    return [differs, all];
  }

  // anchored returns the index of the entry that is the anchor.
  private anchored(): number[] {
    const index = this.anchor && this.anchor !== "end" ? this.log.index(this.anchor.id) : -1;
    return index >= 0 ? [index] : [];
  }

  // kept returns the indexes of rows that stay in the page wherever it is scrolled to: the focused one, and those of a selection.
  private kept(): Set<number> {
    const kept = new Set<number>();
    const active = this.idOf(document.activeElement);
    if (active && this.rows.has(active)) kept.add(this.log.index(active));
    const selection = getSelection();
    if (selection && !selection.isCollapsed) {
      const ends = [this.idOf(selection.anchorNode?.parentElement), this.idOf(selection.focusNode?.parentElement)].map((id) => (id ? this.log.index(id) : -1)).filter((i) => i >= 0);
      if (ends.length) for (let i = Math.min(...ends), n = 0; i <= Math.max(...ends) && n < 200; i++, n++) kept.add(i);
    }
    kept.delete(-1);
    return kept;
  }

  private measure(id: string, height: number): boolean {
    if (Math.abs((this.heights.get(id) ?? -1) - height) < 0.5) return false;
    this.heights.set(id, height);
    this.stacked = -1;
    return true;
  }

  private measured(changes: ResizeObserverEntry[]): void {
    if (!this.el.clientHeight) return; // it is not shown: what is measured now means nothing
    let differs = false;
    for (const { target, borderBoxSize } of changes) {
      if (target === this.el) {
        if (this.el.clientWidth !== this.width && this.width) this.heights.clear();
        this.stacked = -1;
        this.width = this.el.clientWidth;
        differs = true;
      }
      const id = (target as HTMLElement).dataset.id;
      if (id && this.rows.has(id)) differs = this.measure(id, borderBoxSize[0]!.blockSize) || differs;
    }
    if (differs) this.lay();
  }

  // load fetches what is visible and missing.
  private async load(): Promise<void> {
    if (this.loading) return;
    this.loading = true;
    try {
      for (let n = 0; n < pages && (await this.log.need(...this.range(overscan))); n++) {
        this.hold();
        this.lay();
      }
    } catch (e) {
      this.onerror(e);
    } finally {
      this.loading = false;
    }
  }

  // hold makes the entry at the top the anchor, if there is none yet.
  private hold(): void {
    if (this.anchor) return;
    const index = this.indexAt(this.el.scrollTop + 1), entry = this.log.at(index);
    if (entry) this.anchor = { id: entry.id, below: this.el.scrollTop - this.tops[index]! };
  }

  private place(): void {
    const index = this.indexAt(this.el.scrollTop + 1), entry = this.log.at(index);
    if (entry && this.el.clientHeight) this.onplace({ seq: entry.seq, below: Math.round(this.el.scrollTop - this.tops[index]!) });
  }

  // --- rows

  private row_(entry: Entry): Row {
    const el = h("div", { class: "row", "data-id": entry.id });
    const row = { entry, el, top: -1 };
    this.rows.set(entry.id, row);
    this.draw(row);
    this.resized.observe(el);
    return row;
  }

  private update(row: Row, entry: Entry): void {
    const same = JSON.stringify(row.entry) === JSON.stringify(entry);
    row.entry = entry;
    if (!same) this.draw(row);
  }

  private draw(row: Row): void {
    const { entry, el } = row, focus = el.firstElementChild !== null && el.firstElementChild === document.activeElement;
    const article = draw(entry, this.started, this.open.has(entry.id));
    fill(el, article);
    for (const d of el.querySelectorAll<HTMLDetailsElement>("details.fold")) d.addEventListener("toggle", () => {
      if (d.open === this.open.has(entry.id)) return;
      if (d.open) this.open.add(entry.id);
      else this.open.delete(entry.id);
      this.ondraw(entry, article);
    });
    if (entry.type === "message") article.addEventListener("click", (ev) => this.clicked(ev, entry.id));
    if (entry.id === this.now) article.setAttribute("aria-current", "true");
    if (focus) article.focus({ preventScroll: true });
    this.ondraw(entry, article);
  }

  private remove(id: string, row: Row): void {
    this.resized.unobserve(row.el);
    row.el.remove();
    this.rows.delete(id);
  }

  private clicked(ev: MouseEvent, id: string): void {
    const row = this.rows.get(id);
    if (!row || !(ev.target instanceof Element) || ev.target.closest("a:not(.at), button, summary, pre, table") || String(getSelection())) return;
    ev.preventDefault();
    this.row(id)?.focus({ preventScroll: true });
    history.replaceState(history.state, "", `#${row.entry.seq}`);
    this.onseek(row.entry, ev.target.closest(".at") !== null);
  }
}
