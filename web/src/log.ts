// A session's entries, as far as they were fetched: each at its place among all of them.
import { entries, type Entry, type Part, type Reading } from "./api";

const most = 200; // entries in one request

/** Log holds the entries of a session by their index, from 0. Those that were not fetched yet are undefined. */
export class Log {
  version = 0; // counts changes
  reading?: Reading; // while the server has not read the whole session
  private rows: (Entry | undefined)[] = [];

  constructor(private id: string, private signal: AbortSignal) {}

  /** length is the number of entries in the session. */
  get length(): number { return this.rows.length; }

  /** complete reports whether all entries are here. */
  get complete(): boolean { return !this.rows.includes(undefined); }

  at(index: number): Entry | undefined { return this.rows[index]; }
  index(id: string): number { return this.rows.findLastIndex((e) => e?.id === id); }
  fetched(): Entry[] { return this.rows.filter((e) => e !== undefined); }

  /** nearest returns the index of the first fetched entry whose number is seq or greater, else of the last one fetched; -1 if there is none. */
  nearest(seq: number): number {
    const found = this.rows.findIndex((e) => e !== undefined && e.seq >= seq);
    return found >= 0 ? found : this.rows.findLastIndex((e) => e !== undefined);
  }

  /** around fetches the entries around a number, and returns the index of the one that has it, or of the next. */
  async around(seq: number): Promise<number> {
    await this.fetch({ around: seq });
    return this.nearest(seq);
  }

  /** end fetches the newest entries. */
  async end(): Promise<void> {
    await this.fetch({ before: "end" });
  }

  /** start fetches the oldest entries. */
  async start(): Promise<void> {
    await this.fetch({ since: 0 });
  }

  /** again fetches the entries around a number again, or the oldest ones. The others are forgotten: they may have changed while the session was read. */
  async again(seq: number): Promise<void> {
    this.rows.fill(undefined);
    await this.fetch(seq > 0 ? { around: seq } : { since: 0 });
  }

  /** need fetches some of the entries from index first to last that are missing, and reports whether any came. */
  async need(first: number, last: number): Promise<boolean> {
    let from = first;
    while (from <= last && this.rows[from]) from++;
    if (from > last || from >= this.length) return false;
    let to = from;
    while (to < last && !this.rows[to + 1]) to++;
    const before = this.rows[from - 1], behind = this.rows[to + 1];
    const some = await this.fetch(from === 0 ? { since: 0 } : before ? { since: before.seq } : behind ? { before: behind.seq } : { around: this.guess((from + to) >> 1) });
    return some || this.rows.slice(from, to + 1).some(Boolean); // which somebody else may have fetched
  }

  /** all fetches everything that is missing, and calls told after each request. */
  async all(signal: AbortSignal, told: () => void): Promise<void> {
    while (!signal.aborted && (await this.need(0, this.length - 1))) told();
  }

  /** change takes new and changed entries of a session that goes on, and takes back those that are gone. */
  change(entries: Entry[], gone: string[]): void {
    this.version++;
    if (gone.length) {
      const ids = new Set(gone);
      this.rows = this.rows.filter((e) => !e || !ids.has(e.id));
    }
    for (const entry of entries) {
      const old = this.index(entry.id);
      if (old >= 0 && this.rows[old]!.seq === entry.seq) {
        this.rows[old] = entry;
        continue;
      }
      if (old >= 0) this.rows.splice(old, 1);
      this.rows.splice(this.rows.findLastIndex((e) => e !== undefined && e.seq < entry.seq) + 1, 0, entry);
    }
  }

  // fetch puts a page of entries in its place, and reports whether it held any that were missing.
  private async fetch(part: Part): Promise<boolean> {
    const page = await entries(this.id, { ...part, limit: most }, this.signal);
    this.rows.length = Math.max(page.total, page.start + page.entries.length);
    this.reading = page.reading;
    this.version++;
    let missing = false;
    for (const [i, e] of page.entries.entries()) {
      missing ||= !this.rows[page.start + i];
      this.rows[page.start + i] = e;
    }
    return missing;
  }

  // guess returns the number that the entry at an index might have, by those of the nearest that are known.
  private guess(index: number): number {
    let low = index, high = index;
    while (low >= 0 && !this.rows[low]) low--;
    while (high < this.length && !this.rows[high]) high++;
    const from = this.rows[low]?.seq ?? 0, to = this.rows[high]?.seq ?? from + (high - low);
    return Math.max(1, Math.round(from + ((index - low) / (high - low)) * (to - from)));
  }
}
