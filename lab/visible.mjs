// Adds to each message of a truth how much of it the agent ever showed ("visible", 0 to 1), and to each tool call whether its
// input and output ever stood there ("shown", "outputShown"), by replaying the recording in xterm.js and looking into every
// frame. Nothing can be read that never stood on the screen.
//   node visible.mjs DIR [NAME]
import fs from "node:fs";
import xterm from "@xterm/headless";
import unicode11 from "@xterm/addon-unicode11";
import { blocks, fence, marks, pieces, plain } from "./score.mjs";

/** How the agents word each operation: a file's name alone, in somebody else's line, is not the call. */
const WORDS = {
  run: /./,
  read: /\bread|\bcat\b|explor/i,
  write: /writ|wrote|add|creat|patch/i,
  edit: /updat|edit|patch|chang/i,
  mcp: /shop|call/i, // not the word in a menu
};
/** The longest run of items of which each is so. */
function longestRun(items, is) {
  let best = [],
    run = [];
  for (const x of items) {
    run = is(x) ? [...run, x] : [];
    if (run.length > best.length) best = run;
  }
  return best;
}
/**
 * Of a prompt that was never on the screen whole, the truth is the longest run of lines that was, or of words if it is short.
 * Returns the pieces outside: those at the beginning may have been in a status line alone.
 */
function cutUnseen(e, all, unseen) {
  const lines = e.text.split("\n"),
    cut = new Set([...unseen].map(p => p.line)),
    best = longestRun(lines.keys(), i => !cut.has(i)),
    text = best.map(i => lines[i]).join("\n").trim();
  if (lines.length <= 3 || text === "") {
    const run = longestRun(all, p => !unseen.has(p));
    return all.filter(p => !run.includes(p));
  }
  e.whole = e.text;
  e.text = text;
  return all.filter(p => !best.includes(p.line));
}
/** What shows a piece of a line: each run of words around it, longer by as many as it takes that no other line has the run, too. */
function alone({ row: [words], from, shown }, all) {
  const once = s => all.indexOf(s) === all.lastIndexOf(s);
  return shown.map((s, on) => {
    let a = on ? Math.max(0, Math.min(from, words.length - 10)) : Math.max(0, from - 6),
      b = a + 10;
    while (!once(squeeze(s)) && (a > 0 || b < words.length)) {
      if (a > 0 && (!on || b >= words.length)) a--;
      else b++;
      s = words.slice(a, b).join("");
    }
    return squeeze(s);
  });
}
const squeeze = s => s.replace(/[\s│┃▎█]+/g, ""); // without blanks, margins and scroll bars
const unmarked = s => s.replace(/^[^\p{L}\p{N}]+/u, ""); // without signs at its start
/** Whether a row is a heading's: the heading alone, or before the address of its link, or as much as fits. */
const rowOf = (l, mark) => {
  const [row, text] = [l, mark.slice(2)].map(s => unmarked(squeeze(s)));
  return row.startsWith(text) ? /^(\(|$)/.test(row.slice(text.length)) : row.length > 20 && text.startsWith(row);
};
/** A cell that an agent has shortened to its column: nothing but the border follows. Such an agent wraps no cells. */
const SHORTENED = /(…|\.\.\.) [│┃]/;
/** How far, in cells, the rows show each line of a code block to the right of its first one; nothing if they do not show it whole. */
function indents(rows, lines) {
  const columns = y => lines.map((l, i) => (l.trim() ? (rows[y + i]?.indexOf(l.trim()) ?? -1) : 0));
  for (let y = 0; y < rows.length; y++) {
    const at = rows[y].includes(lines[0].trim()) ? columns(y) : [-1];
    if (!at.includes(-1)) return at.map((x, i) => (lines[i].trim() ? x - at[0] : 0));
  }
}
/** How many lines of code a frame is sure to show together. */
const TOGETHER = 6;
/**
 * Lines of code and headings that also are elsewhere, each with the rows that show it there and nowhere else: a line of
 * code with as many of its neighbours as it takes, a heading alone in its row.
 */
function twice(entries, all) {
  const code = entries.flatMap(e => codeOf(e.text).map(lines => ({ e, lines }))),
    is = (lines, from, want) => want.every((l, i) => lines[from + i]?.text.trim() === l.text.trim()),
    times = want => code.reduce((n, { lines }) => n + lines.filter((_, i) => is(lines, i, want)).length, 0),
    once = s => all.indexOf(s) === all.lastIndexOf(s),
    out = [];
  for (const { e, lines } of code)
    for (const [i, l] of lines.entries()) {
      if (l.text.trim() === "" || once(squeeze(plain(l.text)))) continue;
      let a = i,
        b = i + 1;
      while (times(lines.slice(a, b)) > 1 && (a > 0 || b < lines.length) && b - a < TOGETHER) {
        if (b < lines.length) b++;
        if (a > 0) a--;
      }
      const want = lines.slice(a, b);
      if (want.length > 1 && times(want) === 1)
        out.push({ e, line: l.line, on: (rows, y) => want.every((l, k) => rows[y + k]?.includes(l.text.trim())) });
    }
  for (const e of entries) {
    const inCode = new Set(codeOf(e.text).flat().map(l => l.line));
    for (const [line, l] of e.text.split("\n").entries()) {
      const text = squeeze(plain(l));
      if (/^#{1,6} /.test(l) && !inCode.has(line) && !once(text))
        out.push({ e, line, on: (rows, y) => unmarked(squeeze(rows[y])) === unmarked(text) });
    }
  }
  return out;
}

/** The lines of each code block, with their numbers. */
function codeOf(text) {
  const out = [];
  let open = null;
  for (const [line, l] of text.split("\n").entries()) {
    const f = fence(l, open);
    if (f) {
      if (!open) out.push([]);
      open = open ? null : f;
    } else if (open) out.at(-1).push({ line, text: l });
  }
  return out;
}

/** How long, in seconds, what a program has drawn on the alternate screen stays to be seen: what a multiplexer scrolls through within one burst is gone at once, and no terminal keeps it. */
const GLANCE = 0.0045;
/** What shows a piece of a cell: its words behind those before them; if they are short, in their column of a row that begins as it does. */
function cellPattern({ words, row, col, from }) {
  const escape = s => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
    text = escape(words.join("")),
    before = escape(row[col].slice(Math.max(0, from - 4), from).join(""));
  if (text.length > 3) return new RegExp((before || "\\|\\W{0,2}") + text + (from + words.length < row[col].length ? "" : "(?!\\w)"));
  const first = row.findIndex(c => c.length),
    left = row.slice(first, col).map((c, i) => (i ? "" : "\\W{0,2}" + escape(c.join("").slice(0, 2))) + "[^|]*\\|");
  return new RegExp(`\\|${left.join("")}[^|]*${before}${text}(?!\\w)`);
}
for (const f of fs
  .readdirSync(process.argv[2])
  .filter(f => f.endsWith(".truth.json") && (!process.argv[3] || f === process.argv[3] + ".truth.json"))) {
  const path = `${process.argv[2]}/${f}`,
    truth = JSON.parse(fs.readFileSync(path)),
    cast = path.replace(".truth.json", ".cast");
  const [head, ...events] = fs
    .readFileSync(cast, "utf8")
    .trim()
    .split("\n")
    .map(l => JSON.parse(l));
  const t = new xterm.Terminal({ cols: head.width, rows: head.height, scrollback: 50000, allowProposedApi: true });
  t.loadAddon(new unicode11.Unicode11Addon());
  t.unicode.activeVersion = "11";
  const todo = [],
    lines = new Set(),
    all = truth.entries.flatMap(e => (e.whole ?? e.text ?? "").split("\n")).map(l => squeeze(plain(l))).join("\n");
  for (const e of truth.entries)
    if (e.role === "user" || e.role === "assistant") {
      if (e.whole) e.text = e.whole; // of an earlier call
      delete e.whole;
      delete e.unseen;
      delete e.unstyled;
      delete e.unshown;
      delete e.indents;
      const set = new Map(), // the pieces that were not seen yet, and what shows them, squeezed as on the screen
        cells = new Map(), // likewise those of tables
        drawn = new Set(); // and those that were not in their row when that last stood between borders: an agent may shorten a cell when the next one comes
      for (const p of pieces(e.text))
        if (p.aside) {
          cells.set(p, cellPattern(p));
          drawn.add(p);
        } else set.set(p, alone(p, all));
      todo.push({ e, n: set.size, set, cells, drawn, patterns: new Map(cells), all: [...set.keys()], rows: [...cells.keys()], end: [...set.keys()].at(-1) });
    }
  // Headings that were not drawn as such yet: an agent may colour its text after it has drawn it.
  const heads = new Set(todo.flatMap(({ e }) => (e.role === "assistant" ? marks(e.text) : []).filter(k => k.startsWith("# ")).map(mark => ({ e, mark }))));
  // Numbered items of which the number was not there yet: the same words may be in another one.
  const items = new Set(todo.flatMap(({ e }) => (e.role === "assistant" ? marks(e.text) : []).filter(k => /^\d+\. /.test(k)).map(mark => ({ e, mark, shown: squeeze(mark) }))));
  // Code blocks with tabs: agents draw them as blanks, or not at all.
  const tabbed = todo.flatMap(({ e }) => (e.role === "assistant" ? blocks(e.text) : []).filter(lines => lines.some(l => l.startsWith("\t"))).map(lines => ({ e, lines, seen: null })));
  // What leaves an alternate screen is nowhere, though the same line may be elsewhere.
  const again = new Set(twice(todo.map(x => x.e).filter(e => e.role === "assistant"), all));
  let alternate = false;
  const styled = l => Array.from({ length: l.length }, (_, x) => l.getCell(x)).some(c => c.getChars().trim() && (c.isBold() || c.isItalic() || c.isUnderline()));
  const echoed = new Set(); // rows where the cursor was not
  let last = "",
    top = 0,
    short = false; // the agent shortens cells
  for (const [i, [at, c, d]] of events.entries()) {
    if (c === "r") {
      const [a, b] = d.split("x").map(Number);
      t.resize(a, b);
      continue;
    }
    if (c !== "o") continue;
    await new Promise(r => t.write(d, r));
    const b = t.buffer.active;
    if (b.type === "alternate" && i + 1 < events.length && events[i + 1][0] - at < GLANCE) continue;
    const rows = [];
    let s = "";
    for (let y = Math.min(top, b.baseY); y < b.baseY + t.rows; y++) {
      const l = b.getLine(y)?.translateToString(true) ?? "";
      s += l;
      rows.push(l);
      lines.add(l.replace(/\s+/g, " "));
      if (y !== b.baseY + b.cursorY) echoed.add(l.trim());
      for (const h of heads) if (rowOf(l, h.mark) && styled(b.getLine(y))) heads.delete(h);
    }
    top = b.baseY;
    s = squeeze(s);
    if (s === last) continue;
    last = s;
    for (const x of todo) for (const [p, shown] of x.set) if (shown.some(w => s.includes(w))) x.set.delete(p);
    for (const k of items) if (s.includes(k.shown)) items.delete(k);
    for (const b of tabbed) b.seen = indents(rows, b.lines) ?? b.seen;
    alternate ||= b.type === "alternate";
    for (const l of again) if (rows.some((_, y) => l.on(rows, y))) again.delete(l);
    short ||= rows.some(l => SHORTENED.test(l));
    const bars = l => l.join("").replace(/[│┃]/g, "|").replace(/\s+/g, ""),
      barred = bars(rows),
      bordered = bars(rows.filter(l => /[│┃]/.test(l)));
    for (const x of todo) for (const [p, re] of x.cells) if (re.test(barred)) x.cells.delete(p);
    for (const x of todo) {
      const now = x.rows.filter(p => x.patterns.get(p).test(bordered)),
        again = new Set(now.map(p => p.row));
      for (const p of x.rows) if (again.has(p.row)) x.drawn.add(p);
      for (const p of now) x.drawn.delete(p);
    }
  }
  for (const x of todo) if (x.e.role === "user" && x.set.size && x.set.size < x.n) x.set = new Map(cutUnseen(x.e, x.all, new Set(x.set.keys())).map(p => [p]));
  for (const x of todo) if (x.e.role === "assistant") {
    // Where an agent wraps cells, the first cell that no other row has says whether a row was there: words in the others are often alike.
    const all = new Set(x.rows.map(p => p.row)),
      own = (row, col) => row[col].length && ![...all].some(o => o !== row && o[col]?.join(" ") === row[col].join(" ")),
      key = row => [row.findIndex((c, col) => own(row, col)), row.findIndex(c => c.length)].find(col => col >= 0),
      first = p => p.col === key(p.row),
      shown = new Set(x.rows.filter(p => first(p) && !x.cells.has(p)).map(p => p.row)),
      missing = x.rows.filter(p => (short ? x.drawn.has(p) : !shown.has(p.row)));
    if (short || missing.length) x.n += x.rows.length;
    for (const p of missing) x.set.set(p);
  }
  if (alternate)
    for (const { e, line } of again) {
      (e.unshown ??= []).push(line);
      const mark = marks(e.text.split("\n")[line])[0];
      if (mark?.startsWith("# ") && ![...heads].some(h => h.e === e && h.mark === mark)) heads.add({ e, mark });
    }
  for (const x of todo) if (x.set.size) x.e.unseen = [...x.set.keys()].map(p => p.words.join(" "));
  for (const x of todo) x.e.visible = x.n ? Math.round(100 * (1 - x.set.size / x.n)) / 100 : 1;
  // The agent was left before it drew its last reply: little of it was shown, and not its end.
  const reply = todo.filter(x => x.e.role === "assistant").at(-1);
  if (reply && !reply.e.partial && reply.e.visible < 0.2 && reply.set.has(reply.end)) truth.complete = false;
  // A reply that was there in full before the user stopped it was not interrupted.
  truth.entries.forEach((e, i) => {
    const before = truth.entries[i - 1];
    if (e.event === "interrupt" && before?.partial && before.visible === 1) e.may = true;
  });
  const flat = [...lines],
    start = n => n.split("\n")[0].replace(/\s+/g, " ").trim().slice(0, 40);
  /** A row that shows a call is not what another call printed. */
  const calls = truth.entries.filter(e => e.role === "tool" && e.op === "run").map(e => start(e.contains));
  const has = (n, re, but = []) => {
    const k = start(n);
    return flat.some(l => l.includes(k) && re.test(l) && !but.some(c => c.includes(k) && l.includes(c)));
  };
  for (const e of truth.entries)
    if (e.role === "tool") {
      e.shown = has(e.contains, WORDS[e.op] ?? /./);
      // A file that a call names stands in that call's output, too: "3 README.md".
      const named = calls.some(c => c.includes(start(e.output ?? "")));
      if (e.output)
        e.outputShown = named
          ? flat.some(l => l.replace(/^[\s│└⎿├╰]+/, "").startsWith(start(e.output)))
          : has(e.output, /./, calls);
    }
  for (const { e, mark } of heads) (e.unstyled ??= []).push(mark);
  for (const { e, mark } of items) if (e.unseen) (e.unstyled ??= []).push(mark);
  for (const { e, lines, seen } of tabbed) if (seen) (e.indents ??= []).push([lines[0], seen]);
  // A command that scrolled out at once, or was hidden by what it printed, was in the input alone.
  for (const e of truth.entries)
    if (e.role === "command" && ![...echoed].some(l => l === e.text || (l.endsWith(` ${e.text}`) && l.length <= e.text.length + 4))) e.may = true;
  // What was typed into a shell that did not echo it was never there.
  const typed = text => flat.some(l => /[$#%>] $/.test(l.trim().slice(0, -text.length)) && l.trim().endsWith(text));
  for (const e of truth.entries) if (e.role === "shell" && !typed(e.text)) e.may = true;
  const low = todo.filter(x => x.e.visible < 1 && !x.e.partial);
  if (low.length)
    console.log(
      f,
      low
        .map(x => `${x.e.role} ${x.e.visible} ${JSON.stringify([...x.set.keys()][0]?.words.join(" "))}`)
        .join("; ")
        .slice(0, 220),
    );
  fs.writeFileSync(path, JSON.stringify(truth, null, 1) + "\n");
}
