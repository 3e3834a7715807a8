// What the agents changed: the session's edits as one diff.
import * as api from "./api";
import { fill, h } from "./dom";
import { printable } from "./hidden";

const most = 20_000; // lines that are shown
const entry = /^# #(\d+) (.*)$/;

/** Changes shows the edits of a session. go is called with the number of an entry. */
export class Changes {
  readonly el = h("section", { class: "changes", "aria-label": "Changes" });
  private shown = false;

  constructor(private id: string, private signal: AbortSignal, private go: (seq: number) => void) {}

  /** open loads the diff, again if the session is live. */
  async open(live: boolean): Promise<void> {
    if (this.shown && !live) return;
    this.shown = true;
    try {
      this.draw(await (await api.file(this.id, "diff", {}, this.signal)).text());
    } catch (e) {
      if (this.signal.aborted) return;
      this.shown = false;
      fill(this.el, h("p", { class: "empty", role: "alert" }, (e as Error).message));
    }
  }

  private draw(text: string): void {
    const lines = text.split("\n").filter((l, i, all) => l || i < all.length - 1);
    if (!lines.length) return void fill(this.el, h("p", { class: "empty" }, "No edit of a file was shown in this session."));
    let left = { old: 0, new: 0 }; // lines of the hunk under way
    const rows = lines.slice(0, most).map((line) => {
      const partial = line.startsWith("# ") && !entry.test(line), l = partial ? line.slice(2) : line;
      const head = /^@@ -\d+,(\d+) \+\d+,(\d+) @@/.exec(l);
      const inside = left.old > 0 || left.new > 0;
      if (head) left = { old: Number(head[1]), new: Number(head[2]) };
      else if (inside && l[0] === "+") left.new--;
      else if (inside && l[0] === "-") left.old--;
      else if (inside) left = { old: left.old - 1, new: left.new - 1 };
      const named = !inside && entry.exec(l);
      if (named) {
        const note = printable(named[2]!);
        return h("h2", { class: note.includes("only partly visible") ? "part" : "" }, h("button", { type: "button", onclick: () => this.go(Number(named[1])) }, `#${named[1]}`), ` ${note}`);
      }
      const kind = head ? "hunk" : !inside ? "file" : l[0] === "+" ? "add" : l[0] === "-" ? "del" : "";
      return h("div", { class: `${kind}${partial ? " part" : ""}` }, printable(l) || "\u200a");
    });
    fill(this.el, h("div", { class: "diff" }, ...rows), lines.length > most ? h("p", { class: "empty" }, `These are the first ${most.toLocaleString()} lines: download the diff for the rest.`) : "");
  }
}
