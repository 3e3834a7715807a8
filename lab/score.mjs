// Scores exported transcripts against ground truth.
//   node score.mjs TRUTH.json TRANSCRIPT.json            one pair, with every difference
//   node score.mjs --dir TRUTHS --got TRANSCRIPTS [--by agent|kind|version] [--json]   all NAME.truth.json with NAME.json
// Figures, each from 0 to 1:
//   exact     2·E / (truth + got) over user and assistant messages; E: matched in order with the same words
//   chars     characters right, over matched and missed messages (white space aside)
//   tools     tool calls found where the agent showed them, with their shown output
//   code      code blocks held verbatim, line by line
//   blocks    2·B / (truth + got) over code blocks, headings and table rows; B: the same lines, and no more
//   markdown  bold, code spans, headings, list items and table rows of the truth that stand in "markdown"
//   events    starts, clears and exits of agents, in order
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

/** A text without the signs of its blocks. inline takes the marks out of a line that is not code. */
function flat(s, inline) {
  let open = null;
  const out = [];
  for (let l of s.replace(/\r/g, "").split("\n")) {
    const f = fence(l, open);
    if (f) {
      open = open ? null : f;
      continue;
    }
    if (!open) {
      if (/^\s*\|?[\s:|-]*-{3,}[\s:|-]*$/.test(l)) continue;
      l = inline(
        l
          .replace(/^\s*(#{1,6}\s+)/, "")
          .replace(/^\s*[>▎▌│┃]\s?/, "")
          .replace(/^\s*[-*+•●◦▪](\s+|$)/, ""),
      ).replace(/^\s*(\d+|[a-z]|[ivx]{1,4})[.)](\s+|$)/, ""); // agents number nested lists their own way
    }
    out.push(bare(l));
  }
  return out.join("\n").replace(/\s+/g, " ").trim();
}

/**
 * Markdown or screen text to the bare words a reader sees. links are those of the truth: some agents show the
 * addresses after the link's text, others do not.
 */
export const plain = (s, links = linksOf(s)) => flat(joined(s.replace(INVISIBLE, "")), l => withoutMarks(l, links));

/** What says that the character before it is drawn as a picture, and is no part of it on every screen. */
const INVISIBLE = /\ufe0f/g;

/** A line that defines the address of a link by reference, which no agent shows. */
const DEFINITION = /^ {0,3}\[([^\]^]+)\]:\s+<?\S+>?(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*$/;
/** A line that begins something else than a paragraph, or that is a row of a table. */
const BLOCK = /^\s*([-*+•●◦▪](\s|$)|[>▎▌│┃]|#{1,6}\s|(\d+|[a-z]|[ivx]{1,4})[.)](\s|$)|$)|\|/;

/** A text with each paragraph on a line of its own, since marks may begin on one line and end on the next. */
function joined(s) {
  let open = null,
    running = false; // whether the line above may go on
  const out = [];
  for (const l of s.replace(/\r/g, "").split("\n")) {
    const f = fence(l, open);
    if (f) open = open ? null : f;
    const code = f || open;
    if (!code && (DEFINITION.test(l) || (running && /^ {0,3}={2,}\s*$/.test(l)))) {
      running = false;
      continue;
    }
    if (running && !code && !BLOCK.test(l) && !/^\s*[-*_]{3,}\s*$/.test(l)) out.push(`${out.pop()} ${l.trim()}`);
    else out.push(l);
    running = !code && l.trim() !== "" && !/^\s*#{1,6}\s/.test(l) && !l.includes("|") && !/^\s*-{3,}\s*$/.test(l);
  }
  return out.join("\n");
}

/**
 * A text in the form in which truths name what was not seen ("unseen"): with the addresses of links, and with some
 * marks that plain takes out. A change here breaks stored truths.
 */
const written = s =>
  flat(s, l =>
    l
      .replace(/\[([^\]]+)\]\((https?:[^)]+)\)/g, "$1 ($2)")
      .replace(/\*\*([^*]+)\*\*/g, "$1")
      .replace(/(^|[\s(])\*([^*\s][^*]*)\*(?=[\s).,;:!?]|$)/g, "$1$2")
      .replace(/`([^`]+)`/g, "$1"),
  );

/** A link or an image: its text, and its address. */
const LINK = /!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(<?([^()\s<>]*(?:\([^()]*\)[^()\s<>]*)*)>?(?:\s+"[^"]*")?\)/g;

/** A link or an image by reference: its text, and the name of its definition, by default the text. */
const REFERENCE = /!?\[((?:[^\[\]]|\[[^\[\]]*\])+)\](?:\[([^\[\]]*)\])?(?!\()/g;

/** The addresses of the links in a text, the longest first, and the names of those that it defines by reference. */
export function linksOf(md) {
  const addresses = new Set(),
    labels = new Set();
  const find = text => {
    for (const [, inner, address] of text.matchAll(LINK)) {
      if (address) addresses.add(address.replace(INVISIBLE, ""));
      find(inner);
    }
  };
  find(md);
  for (const l of md.split("\n")) {
    const label = DEFINITION.exec(l)?.[1];
    if (label) labels.add(label.toLowerCase());
  }
  return { addresses: [...addresses].sort((a, b) => b.length - a.length), labels };
}
const NO_LINKS = { addresses: [], labels: new Set() };

/**
 * A line of Markdown without its inline marks: emphasis by either sign, strikethrough, code spans,
 * escapes, the addresses of links. What is in a code span stays as it is.
 */
function withoutMarks(l, links) {
  const kept = [],
    keep = text => `\0${kept.push(text) - 1}\0`;
  l = l
    .replace(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, (_, sign, code) => keep(code.replace(/^ (.*[^ ].*) $/, "$1")))
    .replace(/\\([!-/:-@[-`{-~])/g, (_, c) => keep(c));
  for (let was; was !== l; ) {
    was = l;
    l = l
      .replace(LINK, (_, text, target) => text || target)
      .replace(REFERENCE, (all, text, label) => (links.labels.has((label || text).toLowerCase()) ? text : all))
      .replace(/<(https?:[^<>\s]+|[\w.+-]+@[\w.-]+)>/g, "$1")
      .replace(/(\*{1,3}|~~)(?=\S)([^\0]*?\S|.+?\S)\1/g, "$2")
      .replace(/(?<![\p{L}\p{N}])(_{1,3})(?=[^\s_])(.*?[^\s_])\1(?![\p{L}\p{N}])/gu, "$2");
  }
  return withoutAddresses(l.replace(/\0(\d+)\0/g, (_, i) => kept[i]), links);
}

/** A line without the addresses of links, behind their texts. */
function withoutAddresses(l, links) {
  for (const t of links.addresses) l = l.replaceAll(new RegExp(`\\s?\\(${escaped(t)}\\)`, "g"), "");
  return l;
}

const bare = l => l.replace(/[\u2500-\u257f]/g, " ").replace(/\|/g, " ");
const tight = (s, links) => plain(s, links).replace(/\s+/g, "");

/** Levenshtein distance of two strings, banded by cutting common ends first. */
function distance(a, b) {
  let s = 0;
  while (s < a.length && s < b.length && a[s] === b[s]) s++;
  let x = a.length,
    y = b.length;
  while (x > s && y > s && a[x - 1] === b[y - 1]) {
    x--;
    y--;
  }
  a = a.slice(s, x);
  b = b.slice(s, y);
  if (!a.length || !b.length) return Math.max(a.length, b.length);
  if (a.length * b.length > 4e7) return Math.max(a.length, b.length);
  let prev = Uint32Array.from({ length: b.length + 1 }, (_, i) => i),
    cur = new Uint32Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    cur[0] = i;
    for (let j = 1; j <= b.length; j++)
      cur[j] = Math.min(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    [prev, cur] = [cur, prev];
  }
  return prev[b.length];
}
const similar = (a, b) => {
  const n = Math.max(a.length, b.length);
  if (!n) return 1;
  if (Math.min(a.length, b.length) / n < 0.5) return 0;
  return 1 - distance(a, b) / n;
};

const squeeze = s => (s ?? "").replace(/\s+/g, "");
/** An agent shows the beginning of a long call, and "…". */
function cutCall(got, want) {
  const input = squeeze(String(got.tool?.input ?? ""));
  return input.length > 20 && input.endsWith("…") && squeeze(want.contains).startsWith(input.slice(0, -1));
}
const toolText = m =>
  squeeze(
    [
      m.text,
      m.tool?.name,
      typeof m.tool?.input === "string" ? m.tool.input : JSON.stringify(m.tool?.input ?? ""),
      m.tool?.output,
    ]
      .filter(Boolean)
      .join(" "),
  );

/** Whether a tool's text has the call; versions differ in what they show of it. */
const showsCall = (text, t) => [t.contains, t.or].some(c => c && text.includes(squeeze(c.split("\n")[0]).slice(0, 40)));

function likeness(t, g) {
  if (t.role === "tool")
    return g.role === "tool" ? (showsCall(toolText(g), t) ? 1 : 0.55) : 0;
  if (t.role === "shell" || t.role === "command")
    return g.role === t.role && squeeze(g.text).includes(squeeze(t.text)) ? 1 : 0;
  if (g.role !== t.role) return 0;
  if (t.partial) {
    const a = tight(t.text),
      b = tight(g.text ?? "").replace(/…$/, "");
    return b.length && a.startsWith(b.slice(0, Math.max(1, b.length - 3))) ? 1 : 0;
  }
  const links = linksOf(t.text);
  return hasAllThatWasSeen(t, g) ? 1 : similar(tight(t.text), tight(g.text ?? "", links));
}

/** The words of a message, line by line, in pieces of four, and what shows each on the screen: ten words of its line, those before it or those behind it, since the same four may be in other messages. Those of a table ("aside") are in one cell each: agents wrap cells, or shorten them. */
export function pieces(text) {
  const out = [];
  let open = null;
  for (const [line, l] of text.split("\n").entries()) {
    const f = fence(l, open),
      words = (open ? bare(l) : written(l)).split(/\s+/).filter(Boolean);
    if (f) {
      open = open ? null : f;
      continue;
    }
    const aside = !open && /^\s*\|/.test(l),
      row = aside ? cellsOf(l) : [words];
    row.forEach((c, col) => {
      for (let i = 0; i < c.length; i += 4) {
        const back = Math.max(0, i - 6),
          on = Math.max(0, Math.min(i, c.length - 10)),
          shown = [back, on].map(from => c.slice(from, from + 10).join(""));
        out.push({ words: c.slice(i, i + 4), shown, line, aside, row, col, from: i });
      }
    });
  }
  return out;
}

/** The words of each cell of a table's row. */
const cellsOf = l => l.split("|").map(c => written(c).split(/\s+/).filter(Boolean));
/** What agents put behind a cell that they have shortened to its column. */
const SIGN = /(…|\.\.\.)$/;
/** Whether a word is the whole one, or stands for it: in a cell before the sign of what is left out, or where it was never on the screen whole, such as a link of which the address alone is shown, or a word that was wrapped behind a hyphen. */
const inCell = (word, whole, unseen) =>
  word.replace(SIGN, "") === whole ||
  (unseen && (whole.endsWith(`-${word}`) || opened(whole).startsWith(opened(word.replace(SIGN, "")))));
/** A word without the marks that begin it: an agent draws them until it knows where they end. */
const opened = w => w.replace(/^[(!\[`*]+/, "");

/** Whether got has all of a message that the screen showed, in order, and nothing else. What the screen did not show may be missing. */
function allThatWasSeen(t, got) {
  if (!t.unseen?.length && !t.unshown) return false;
  const whole = t.whole ?? t.text,
    links = linksOf(whole),
    address = new Set(links.addresses.map(a => `(${a})`)),
    unseen = new Set(t.unseen),
    parts = pieces(whole),
    keys = parts.map(p => p.words.join(" ")),
    may = keys.map((k, i) => unseen.has(k) || (t.unshown?.includes(parts[i].line) ?? false));
  // What is there several times may have been on the screen elsewhere only.
  const again = (i, by) => (may[i] ||= may[by] && keys.indexOf(keys[i]) !== keys.lastIndexOf(keys[i]));
  for (let i = 1; i < keys.length; i++) again(i, i - 1);
  for (let i = keys.length - 2; i >= 0; i--) again(i, i + 1);
  // So may a few words between pieces that were never there.
  for (let i = 0, from = -1; i < keys.length; i++)
    if (may[i]) {
      if (from >= 0 && i - from <= 3) may.fill(true, from, i);
      from = i;
    }
  const words = parts.flatMap((p, i) =>
      p.words.filter(w => w.replace(SIGN, "")).map(word => ({ word, bare: unmarked(word), may: may[i], free: may[i] || address.has(word.replace(/[.,;:!?]+$/, "")), cell: p.aside })),
    ),
    wordsOf = links => plain(got, links).split(" ").filter(w => w.replace(SIGN, ""));
  return reads(words, wordsOf(NO_LINKS)) || ((links.addresses.length > 0 || links.labels.size > 0) && reads(plainly(words, t.role === "assistant" ? t.text : whole), wordsOf(links)));
}

/** A word without the marks around it. */
const unmarked = w => w.replace(/^(\*+|_+|~~|`+|!?\[)|(\*+|_+|~~|`+|\])(?=[.,;:!?)]*$)/g, "");

/** Whether have has the words in order, and nothing else. Those that are free may be missing. */
function reads(words, have) {
  let at = [0]; // how much of have may be read so far
  for (const { word, bare, may, free, cell } of words) {
    const next = new Set(free ? at : []);
    for (const k of at)
      if (have[k] === word || have[k] === bare || ((cell || may) && k < have.length && inCell(have[k], word, may)))
        next.add(k + 1);
    at = [...next];
  }
  return at.includes(have.length);
}

/** The words of a text as plain reads them, without the addresses of links: each may be missing if the written one may, or, where there is none, those around it. */
function plainly(words, text) {
  const to = plain(text).split(" "),
    loose = w => w.replace(/[[\]`]/g, ""), // an agent may leave out brackets
    same = (i, j) => loose(words[i].bare) === loose(to[j]),
    n = to.length + 1,
    common = new Uint16Array((words.length + 1) * n);
  for (let i = words.length - 1; i >= 0; i--)
    for (let j = to.length - 1; j >= 0; j--)
      common[i * n + j] = same(i, j) ? 1 + common[(i + 1) * n + j + 1] : Math.max(common[(i + 1) * n + j], common[i * n + j + 1]);
  const out = [];
  for (let i = 0, j = 0; j < to.length; ) {
    if (i < words.length && same(i, j)) out.push({ ...words[i++], bare: to[j++] });
    else if (i < words.length && common[(i + 1) * n + j] >= common[i * n + j + 1]) i++;
    else {
      const near = [words[i - 1], words[i]].filter(Boolean),
        may = near.some(w => w.may);
      out.push({ word: to[j], bare: to[j], may, free: may, cell: near.some(w => w.cell) });
      j++;
    }
  }
  return out;
}

/** The same of an entry's text, or of its Markdown, which alone shows what is code. */
const hasAllThatWasSeen = (t, g) => allThatWasSeen(t, g.text ?? "") || allThatWasSeen(t, g.markdown ?? "");

/** Joins what the transcript has as two entries because the screen did not show the middle of a message: the first says that its tail is missing, the second its head. */
function joinCut(T, G) {
  const out = [];
  for (const g of G) {
    const above = out.at(-1),
      text = `${above?.text}\n${g.text}`;
    if (
      above?.truncated_at === "tail" &&
      g.truncated_at === "head" &&
      T.some(t => t.role === g.role && above.role === g.role && allThatWasSeen(t, text))
    )
      out[out.length - 1] = { ...above, text, markdown: `${above.markdown ?? above.text}\n${g.markdown ?? g.text}` };
    else out.push(g);
  }
  return out;
}

const escaped = s => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** An entry with each "[redacted:…]" replaced by what the truth has between the same words. */
export function unredacted(g, T) {
  const said = T.map(t => t.text ?? "").join("\n"),
    back = s =>
      s?.replace(/([^\n]{0,16})\[redacted:[\w-]+\]([^\n]{0,8})/g, (all, before, after) => {
        const m = new RegExp(`${escaped(before)}(\\S{1,400}?)${escaped(after)}`).exec(said);
        return m ? before + m[1] + after : all;
      });
  return { ...g, text: back(g.text), markdown: back(g.markdown) };
}

/** Tools that follow one another can end, and be drawn, in any order: matches those that the alignment matched with another call. */
function matchTools(T, G, pairs) {
  const byT = new Map(pairs.map(([i, j]) => [i, j]));
  for (let a = 0; a < T.length; a++) {
    if (T[a].role !== "tool") continue;
    let b = a;
    while (T[b]?.role === "tool") b++;
    const got = [];
    let from = -1,
      to = G.length;
    for (const [i, j] of byT) {
      if (i < a) from = Math.max(from, j);
      if (i >= b) to = Math.min(to, j);
    }
    for (let j = from + 1; j < to; j++) if (G[j].role === "tool") got.push(j);
    const left = [];
    for (let i = a; i < b; i++) {
      byT.delete(i);
      const shown = T.slice(i, b).filter(t => t.shown !== false).length;
      if (T[i].shown === false && got.length <= shown) continue; // it takes none from those that were
      const k = got.findIndex(j => likeness(T[i], G[j]) === 1);
      if (k < 0) left.push(i);
      else byT.set(i, got.splice(k, 1)[0]);
    }
    for (const i of left) if (got.length) byT.set(i, got.shift());
    a = b;
  }
  return [...byT].sort((x, y) => x[0] - y[0]);
}

/** Order-keeping alignment of truth and transcript with the largest total likeness. */
function align(T, G) {
  const n = T.length,
    m = G.length,
    w = (i, j) => {
      const s = likeness(T[i], G[j]);
      return s >= 0.5 ? s * (T[i].may ? 0.999 : 1) : 0; // what must be there comes before what may
    };
  const S = Array.from({ length: n + 1 }, () => new Float64Array(m + 1)),
    W = Array.from({ length: n }, () => new Float64Array(m));
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) W[i][j] = w(i, j);
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1; j >= 0; j--)
      S[i][j] = Math.max(S[i + 1][j], S[i][j + 1], W[i][j] ? W[i][j] + S[i + 1][j + 1] : 0);
  const pairs = [];
  let i = 0,
    j = 0;
  while (i < n && j < m) {
    if (W[i][j] && S[i][j] === W[i][j] + S[i + 1][j + 1]) pairs.push([i++, j++, 0]);
    else if (S[i][j] === S[i + 1][j]) i++;
    else j++;
  }
  return pairs;
}

/** Fences as CommonMark has them: closed by as many backticks or more, their own indentation taken from the lines. */
export function fence(l, open) {
  const m = /^(\s*)(`{3,}|~{3,})(.*)$/.exec(l);
  if (!m) return null;
  if (!open) return { pad: m[1].length, mark: m[2] };
  return m[2][0] === open.mark[0] && m[2].length >= open.mark.length && !m[3].trim() ? open : null;
}
/** The lines of each code block, but for blank ones around them, which few agents draw. */
export function blocks(md) {
  const out = [];
  let cur = null,
    open = null;
  for (const [i, l] of md.split("\n").entries()) {
    const f = fence(l, open);
    if (f) {
      if (open) {
        while (cur.length && !cur[0].trim()) {
          cur.shift();
          cur.from++;
        }
        while (cur.length && !cur.at(-1).trim()) cur.pop();
        out.push(cur);
        cur = open = null;
      } else {
        cur = Object.assign([], { from: i + 1 }); // the number of its first line
        open = f;
      }
    } else if (cur) cur.push(l.slice(Math.min(open.pad, /^ */.exec(l)[0].length)));
  }
  return out;
}
const tabs = (l, n) => l.replace(/\t/g, " ".repeat(n));
/** A line with its tabs drawn up to the next of the stops that are n cells apart. */
const stops = (l, n) =>
  l.replace(/[^\t]*\t/g, part => part.slice(0, -1).padEnd(part.length - 1 + n - ((part.length - 1) % n)));
/** Whether a text has the lines of a block, each tab as two, four or eight blanks, or the lines indented by as many cells as the agent drew them. */
function holds(lines, text, indents) {
  const got = text.split("\n").map(l => l.replace(/\s+$/, "")),
    forms = [lines, ...[tabs, stops].flatMap(drawn => [4, 2, 8].map(n => lines.map(l => drawn(l, n))))];
  if (indents) forms.push(lines.map((l, i) => (l.startsWith("\t") ? " ".repeat(Math.max(0, indents[i])) + l.trim() : l)));
  for (const form of forms) {
    const want = form.map(l => l.replace(/\s+$/, ""));
    for (let k = 0; k + want.length <= got.length; k++) {
      const base = got[k].indexOf(want[0] ?? "");
      if (base < 0 || got[k].slice(0, base).trim()) continue;
      const pad = got[k].slice(0, base);
      if (want.every((l, i) => got[k + i] === (l ? pad + l : "") || got[k + i] === l)) return true;
    }
  }
  return false;
}
export function marks(md) {
  const out = [];
  let open = null;
  for (const l of md.split("\n")) {
    const f = fence(l, open);
    if (f) {
      open = open ? null : f;
      continue;
    }
    if (open) continue;
    let m;
    if ((m = /^#{1,6} (.*)/.exec(l))) out.push(`# ${plain(m[1])}`); // no agent shows a heading's level reliably
    if ((m = /^\s*([-*]|\d+\.) (.*)/.exec(l)) && !/[*`]/.test(m[2]) && !/^\[.?\] /.test(m[2]))
      out.push(`${m[1].replace("*", "-")} ${plain(m[2]).slice(0, 30)}`);
    if (/^\|/.test(l) && !/---/.test(l))
      out.push(
        l
          .split("|")
          .map(c => c.trim())
          .filter(Boolean)
          .join("|"),
      );
    for (const x of l.matchAll(/\*\*[^*]+\*\*|`[^`]+`/g)) out.push(x[0]);
  }
  return out;
}

/** Agents that draw a line in bold and a heading alike. */
const BOLD_HEADINGS = new Set(["claude", "copilot", "gemini", "qwen"]);

/** The lines of a transcript, also as marks() names what is in them. alike: a bold line may be a heading. */
function forms(md, links, alike) {
  return md.split("\n").flatMap(line => {
    const l = line.trim();
    let m;
    if (l.startsWith("|"))
      return l
        .split("|")
        .map(c => c.trim())
        .filter(Boolean)
        .join("|");
    if ((m = /^#{1,6} (.*)/.exec(l))) return [l, `# ${plain(m[1], links)}`, alike ? `**${m[1]}**` : ""];
    if ((m = /^([-*+]|\d+\.) (.*)/.exec(l))) return [l, `${m[1].replace(/[*+]/, "-")} ${plain(m[2], links)}`];
    if (alike && (m = /^\*\*(.*)\*\*$/.exec(l))) return [l, `# ${plain(m[1], links)}`];
    return l;
  });
}

/** The code blocks, headings and table rows of a text. alike: bold lines count as headings. */
function structure(md, links, alike) {
  const out = { code: blocks(md), headings: [], rows: [] };
  let open = null;
  for (const l of md.split("\n")) {
    const f = fence(l, open);
    if (f) open = open ? null : f;
    if (f || open) continue;
    const heading = /^#{1,6} +(.*)/.exec(l)?.[1] ?? (alike ? /^\*\*(.*)\*\*$/.exec(l.trim())?.[1] : undefined);
    if (heading) out.headings.push(squeeze(plain(heading, links)));
    if (/^\s*\|.*\|\s*$/.test(l) && !/^[\s|:-]+$/.test(l)) out.rows.push(squeeze(plain(l, links)));
  }
  return out;
}

/** The headings of a text that are underlined. */
const underlined = md =>
  md.split("\n").flatMap((l, i, all) => (/^ {0,3}(-{2,}|={2,})\s*$/.test(all[i + 1] ?? "") ? [squeeze(plain(l))] : []));

/** The lines of a text that are code by their indent alone, amid lines that nothing is like. */
function indented(md) {
  let open = null;
  return md
    .split("\n")
    .map(l => {
      const f = fence(l, open);
      if (f) open = open ? null : f;
      return !f && !open && (/^( {4}|\t)/.test(l) || l === "") ? l : "\0";
    })
    .join("\n");
}

/**
 * How many code blocks, headings and table rows two messages share, and how many each of them has. A code block is
 * shared if it has the same lines and no more.
 */
function shared(t, g, alike) {
  const links = linksOf(t.text),
    want = structure(t.text, links, alike),
    got = structure(g?.markdown ?? g?.text ?? "", links, alike),
    indents = b => t.indents?.find(([first]) => first === b[0])?.[1],
    same = {
      code: (b, x) => b.length === x.length && holds(b, x.join("\n"), indents(b)),
      headings: (b, x) => b === x,
      rows: (b, x) => b === x,
    };
  let both = 0,
    each = 0;
  const differ = [];
  for (const kind of Object.keys(same)) {
    const left = [...got[kind]],
      never = kind === "headings" ? want[kind].filter(w => t.unstyled?.some(k => squeeze(k) === `#${w}`)) : [],
      must = want[kind].filter(w => !never.includes(w));
    for (const w of never) if (left.includes(w)) left.splice(left.indexOf(w), 1);
    each += must.length + left.length;
    for (const w of must) {
      const k = left.findIndex(x => same[kind](w, x));
      if (k < 0) differ.push(`${kind} lost: ${JSON.stringify(String(w).slice(0, 60))}`);
      else if (left.splice(k, 1)) both++;
    }
    if (kind !== "rows") {
      const under = underlined(t.text),
        also = left.filter(x => (kind === "code" ? holds(x, indented(t.text)) : under.includes(x)));
      each -= also.length;
      for (const x of also) left.splice(left.indexOf(x), 1);
    }
    for (const x of left) differ.push(`${kind} invented: ${JSON.stringify(String(x).slice(0, 60))}`);
  }
  return { both, each, differ };
}

/** The cells of a table's row, parted by each bar, whatever it is in. */
const rowOf = l => l.trim().replace(/^\||\|$/g, "").split("|");

/** A text without the marks of code and of bold words. */
const unstyled = s => s.replace(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g, "$2").replace(/\*\*(?=\S)(.+?)\*\*/g, "$1");

/** A line with a written "!" before each image that is no part of a link, nor the rest of one. */
const banged = l => l.replace(/(?<![\[\\])!(?=\[[^\[\]()]*\]\()/g, "\\!");

/**
 * A text as Gemini CLI reads its fences: one with a language that has other characters than letters and digits, such as
 * "c++", opens nothing and is drawn as text.
 */
function wordFences(text) {
  let open = null,
    odd = null;
  return text
    .split("\n")
    .flatMap(l => {
      const f = fence(l, open ?? odd);
      if (odd && f === odd) {
        odd = null;
        return [];
      }
      if (odd || !f) return [l];
      const language = l.trim().replace(/^[`~]+ */, "");
      if (!open && /\W/.test(language)) {
        odd = f;
        return [`\\\`${language}`];
      }
      open = open ? null : f;
      return [l];
    })
    .join("\n");
}

/** What some agents leave out or put in where they draw Markdown, taken from frames of theirs. */
const DRAWN = {
  // Claude Code draws a link by its address alone if that says what the text says. It moves the cursor over a blank, so
  // that two code spans with a blank between them look like one.
  claude: l =>
    l
      .replace(/\[([^\[\]]+)\]\((https?:\/\/([^()\s]+?))\/?\)/g, (all, text, address, rest) => (text === rest ? address : all))
      .replace(/(?<!`)`[^`]+`(?: `[^`]+`)+(?!`)/g, spans => spans.replaceAll("` `", " ")),
  // HTML and links without text are left out, and an image becomes "Image: TEXT → ADDRESS". The cells of a table have no
  // styles.
  copilot: l =>
    (/^\|.*\|$/.test(l) ? l.replace(/[*`]/g, "") : l)
      .replace(/(?<!!)\[\]\([^()\s]*\)/g, "")
      .replace(/<!--.*?-->|<\/?[a-z][a-z0-9-]*(\s[^<>]*)?\/?>/gi, "")
      .replace(/\[?Image: (.+?) → [^\s\]]+(\]\([^)\s]*\))?/g, "$1"),
  // Gemini CLI splits a cell at each bar, even in code or after a backslash, and drops cells beyond those of the head.
  // Like Qwen Code it draws an image as a link behind "!".
  gemini: (l, { heads }) => banged(heads && rowOf(l).length > heads ? `|${rowOf(l).slice(0, heads).join("|")}|` : l),
  qwen: l => banged(l),
  // opencode hides the brackets of anything that could be a link, even in code spans. It draws headings, table heads
  // and link texts in one style, whatever is marked in them. An address that is a link by itself is drawn twice.
  opencode: (l, { labels, head }) =>
    (head || /^#{1,6} /.test(l) ? unstyled(l) : l)
      .replace(/!(?=\[[^\[\]]*\]\[)/g, "")
      .replace(LINK, (all, text) => all.replace(text, () => unstyled(text)))
      .replace(/(https?:\S+) \(\1\)/g, "$1")
      .replace(REFERENCE, (all, text, label) => (labels.has((label || text).toLowerCase()) ? text : all))
      .replace(/\[([^\[\]]+)\](?!\()/g, "$1"),
};

/** A text as the agent draws it, code blocks aside. */
function drawn(text, agent) {
  if (!text || !DRAWN[agent]) return text;
  if (agent === "gemini") text = wordFences(text);
  const links = linksOf(text);
  let open = null,
    heads = 0; // of the table
  return text
    .split("\n")
    .map(l => {
      const f = fence(l, open);
      if (f) open = open ? null : f;
      const row = !f && !open && /^\s*\|/.test(l),
        head = row && !heads;
      heads = row ? heads || rowOf(l).length : 0;
      return f || open || DEFINITION.test(l) ? l : DRAWN[agent](l, { ...links, heads, head });
    })
    .join("\n");
}

export function score(truth, got) {
  const all = got.entries ?? got.messages ?? [],
    isMsg = e => e.role && e.role !== "thinking" && e.role !== "system";
  const said = new Set(all.filter(isMsg).map(g => plain(g.text ?? ""))),
    T = truth.entries
      .filter(e => e.role && !e.optional)
      .map(e => (e.or && said.has(plain(e.or)) ? { ...e, text: e.or, unseen: undefined } : e)) // versions differ
      .map(e => (e.role === "assistant" ? { ...e, whole: e.whole ?? e.text, text: drawn(e.text, e.agent ?? truth.agent) } : e)),
    G = joinCut(
      T,
      all
        .filter(isMsg)
        .map(g => unredacted(g, T))
        .map(g =>
          g.role === "assistant"
            ? { ...g, text: drawn(g.text, truth.agent), markdown: drawn(g.markdown, truth.agent) }
            : g,
        ),
    );
  const pairs = matchTools(T, G, align(T, G)),
    byT = new Map(pairs.map(([i, j]) => [i, j]));
  const talk = e => e.role === "user" || e.role === "assistant";
  const r = {
    name: truth.name,
    agent: truth.agent,
    version: truth.version,
    exact: 0,
    chars: 0,
    tools: null,
    code: null,
    markdown: null,
    blocks: null,
    events: 0,
    notes: [],
  };
  let exact = 0,
    right = 0,
    total = 0,
    tool = 0,
    tools = 0,
    code = 0,
    codes = 0,
    mark = 0,
    markN = 0,
    both = 0,
    each = 0;
  const byG = new Map(pairs.map(([i, j]) => [j, i])); // {may: true} in the truth: fine where it stands in the transcript, fine where not
  const maybe = t => t?.may || t?.visible === 0,
    nT = T.filter(t => talk(t) && !maybe(t)).length,
    nG = G.filter((g, j) => talk(g) && !maybe(T[byG.get(j)])).length;
  T.forEach((t, i) => {
    const g = byT.has(i) ? G[byT.get(i)] : null;
    if (maybe(t)) return;
    if (t.role === "tool") {
      if (!t.shown) return;
      tools++;
      const s = g ? toolText(g) : "";
      if (
        g &&
        /read|write|edit/.test(t.op) &&
        squeeze(String(g.tool?.input ?? "")).length > squeeze(t.contains).length + 80
      ) {
        r.notes.push(
          `tool ${t.op} ${JSON.stringify(t.contains.slice(0, 50))}: its input holds more than the call: ${JSON.stringify(String(g.tool.input).slice(0, 80))}`,
        );
        return;
      }
      if (
        g &&
        (showsCall(s, t) || cutCall(g, t)) &&
        (!t.outputShown || s.includes(squeeze(t.output)))
      )
        tool++;
      else
        r.notes.push(
          `tool ${t.op} ${JSON.stringify(t.contains.slice(0, 50))}: ${g ? "without its " + (s.includes(squeeze(t.contains).slice(0, 40)) ? "output" : "input") : "missing"}`,
        );
      return;
    }
    if (!talk(t)) {
      tools++;
      if (g && (!t.output || squeeze(g.text + (g.output ?? "")).includes(squeeze(t.output)))) tool++;
      else r.notes.push(`${t.role} ${JSON.stringify(t.text)}: ${g ? "without its output" : "missing"}`);
      return;
    }
    const links = linksOf(t.text),
      want = plain(t.text),
      a = tight(t.text);
    if (!t.partial) total += a.length;
    if (!g) {
      r.notes.push(`${t.role} missing: ${JSON.stringify(plain(t.text).slice(0, 70))}`);
    } else {
      const text = plain(g.text ?? "", links),
        markdown = plain(g.markdown ?? "", links),
        b = tight(g.text ?? "", links);
      if (!t.partial) right += Math.max(0, a.length - distance(a, b));
      if (t.partial || want === text || want === markdown) {
        exact++;
        if (!t.partial) right += Math.min(a.length, distance(a, b));
      } else if (hasAllThatWasSeen(t, g)) {
        exact++;
        total -= Math.min(a.length, distance(a, b));
      }
      else r.notes.push(`${t.role} differs: want ${cut(want, markdown || text)}`);
    }
    if (t.role === "assistant" && !t.partial) {
      if (!t.unseen?.length && !t.unshown) {
        const s = shared(t, g, BOLD_HEADINGS.has(truth.agent));
        both += s.both;
        each += s.each;
        r.notes.push(...s.differ);
      }
      for (const b of blocks(t.text)) {
        if (t.unseen && b.some(l => pieces("```\n" + l + "\n```").some(p => t.unseen.includes(p.words.join(" "))))) continue; // it was never on the screen whole
        if (t.unshown?.some(l => l >= b.from && l < b.from + b.length)) continue;
        codes++;
        const indents = t.indents?.find(([first]) => first === b[0])?.[1];
        if (g && (holds(b, g.markdown ?? "", indents) || holds(b, g.text ?? "", indents))) code++;
        else r.notes.push(`code block not verbatim: ${JSON.stringify(b[0])}`);
      }
      const md = g?.markdown ?? "";
      const lines = forms(md, links, BOLD_HEADINGS.has(truth.agent));
      const never = ` ${(t.unseen ?? []).join(" ")}`, // bold words may go from one piece to the next
        core = s => squeeze(s).replace(/[[\]]|<[^<>]*>/g, ""), // without what an agent may leave out
        unseen = (t.unseen ?? []).map(core),
        has = (k, u) => (k.includes("|") ? k.split("|") : [k]).some(c => (u.length > 3 ? core(plain(c)).includes(u) : core(plain(c)) === u));
      for (const k of marks(t.text)) {
        if (unseen.some(u => has(k, u)) || t.unstyled?.includes(k) || (/^[*`]/.test(k) && never.includes(` ${plain(k)}`))) continue;
        markN++;
        const bare = s => withoutAddresses(s.replace(LINK, "$1"), links); // a link in bold words, whether or not the agent shows its address
        if (lines.some(l => l.includes(k)) || (/\]\(/.test(k) && lines.some(l => bare(l).includes(bare(k))))) mark++;
        else if (g) r.notes.push(`markdown lost: ${JSON.stringify(k.slice(0, 60))}`);
      }
    }
  });
  const used = new Set(pairs.map(p => p[1]));
  G.forEach((g, j) => {
    if (g.role === "tool" && !used.has(j))
      r.notes.push(`(tool beside the truth: ${JSON.stringify((g.text ?? "").slice(0, 60))} ${g.tool?.status})`);
    if (talk(g) && !used.has(j)) r.notes.push(`${g.role} spurious: ${JSON.stringify((g.text ?? "").slice(0, 90))}`);
  });
  r.exact = nT + nG ? (2 * exact) / (nT + nG) : 1;
  r.chars = total ? right / total : 1;
  if (tools) r.tools = tool / tools;
  if (codes) r.code = code / codes;
  if (markN) r.markdown = mark / markN;
  if (each) r.blocks = (2 * both) / each;
  const ge = all
      .filter(e => e.event)
      .map(e => EVENT[e.event])
      .filter(Boolean),
    te = [];
  for (const e of truth.entries) if (e.event && !(e.may && ge[te.length] !== e.event)) te.push(e.event);
  let k = 0;
  for (const e of ge) if (e === te[k]) k++;
  const want = te.at(-1) === "exit" ? te.length : te.length,
    extra = ge.filter(e => e !== "exit").length - te.filter(e => e !== "exit").length;
  r.events = want ? Math.max(0, (k - Math.max(0, extra)) / want) : 1;
  if (r.events < 1) r.notes.push(`events: want ${te} got ${ge}`);
  return r;
}
/** The transcript's event names as the truth's. */
const EVENT = {
  "cli:newSession": "start",
  "cli:clear": "clear",
  "cli:exit": "exit",
  "cli:interrupted": "interrupt",
  interrupt: "interrupt",
  start: "start",
  clear: "clear",
  exit: "exit",
};
function cut(a, b) {
  let s = 0;
  while (s < a.length && a[s] === b[s]) s++;
  s = Math.max(0, s - 25);
  return `${JSON.stringify(a.slice(s, s + 80))} got ${JSON.stringify(b.slice(s, s + 80))}`;
}

export const FIGURES = ["exact", "chars", "tools", "code", "markdown", "blocks", "events"];
export const mean = (rs, c) => {
  const v = rs.map(r => r[c]).filter(x => x !== null && x !== undefined);
  return v.length ? v.reduce((a, b) => a + b, 0) / v.length : null;
};
const row = (label, rs) =>
  label.padEnd(34) +
  String(rs.length).padStart(4) +
  FIGURES.map(c => {
    const v = mean(rs, c);
    return (v === null ? "-" : v.toFixed(4)).padStart(10);
  }).join("");

/**
 * Scores all NAME.truth.json of a folder with the transcripts NAME.json of another one, but for recordings whose run
 * failed.
 */
export function scoreAll(dir, got) {
  const load = f => JSON.parse(fs.readFileSync(f));
  return fs
    .readdirSync(dir)
    .filter(f => f.endsWith(".truth.json"))
    .sort()
    .map(f => [f, load(path.join(dir, f))])
    .filter(([, truth]) => truth.complete !== false)
    .map(([f, truth]) => {
      const name = f.slice(0, -".truth.json".length);
      truth.name = name;
      let r;
      try {
        r = score(truth, load(path.join(got, name + ".json")));
      } catch (e) {
        r = score(truth, { entries: [] });
        r.notes.unshift(`no transcript: ${e.message}`);
      }
      r.kind = name.split("-").at(-2);
      return r;
    });
}

if (process.argv[1] === import.meta.filename) {
  const { values: o, positionals: p } = parseArgs({
    allowPositionals: true,
    options: {
      dir: { type: "string" },
      got: { type: "string" },
      by: { type: "string", default: "agent" },
      json: { type: "boolean" },
      notes: { type: "boolean" },
    },
  });
  const load = f => JSON.parse(fs.readFileSync(f));
  if (o.dir) {
    const rs = scoreAll(o.dir, o.got);
    if (o.notes) for (const r of rs) for (const n of r.notes) console.log(`${r.name}: ${n}`);
    if (o.json) console.log(JSON.stringify(rs, null, 1));
    else {
      console.log("".padEnd(34) + "runs" + FIGURES.map(c => c.padStart(10)).join(""));
      const key = r => (o.by === "version" ? `${r.agent} ${r.version}` : o.by === "name" ? r.name : r[o.by]);
      for (const k of [...new Set(rs.map(key))].sort())
        console.log(
          row(
            String(k),
            rs.filter(r => key(r) === k),
          ),
        );
      console.log(row("all", rs));
    }
  } else {
    const r = score(load(p[0]), load(p[1]));
    for (const n of r.notes) console.log(n);
    console.log(FIGURES.map(c => `${c} ${r[c] === null ? "-" : r[c].toFixed(4)}`).join("  "));
  }
}
