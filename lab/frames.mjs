// Finds the frames of a recording that show given words.
import fs from "node:fs";
import xterm from "@xterm/headless";
import unicode11 from "@xterm/addon-unicode11";

/** The words without what agents put between them. */
export const squeeze = s => s.replace(/[\s│┃▎█]+/g, "");

/** What to look for where a note quotes what is missing, wrong or too much: the beginnings of the quoted texts. */
export function quoted(note) {
  const out = [];
  for (const [q] of note.matchAll(/"(?:[^"\\]|\\.)*"/g)) {
    const words = squeeze(JSON.parse(q));
    if (words.length >= 4) out.push(words.slice(0, 24), words.slice(-24));
  }
  return out;
}

/**
 * The last frame, as text, that shows each of the lists of words: a map from the index of the list. A list without a frame is
 * not in it. A frame shows a list where one of its words is in it.
 */
export async function framesWith(cast, lists) {
  const [head, ...events] = fs
    .readFileSync(cast, "utf8")
    .trim()
    .split("\n")
    .map(l => JSON.parse(l));
  const t = new xterm.Terminal({ cols: head.width, rows: head.height, scrollback: 0, allowProposedApi: true });
  t.loadAddon(new unicode11.Unicode11Addon());
  t.unicode.activeVersion = "11";
  const found = new Map();
  let last = "";
  for (const [at, code, data] of events) {
    if (code === "r") {
      t.resize(...data.split("x").map(Number));
      continue;
    }
    if (code !== "o") continue;
    await new Promise(done => t.write(data, done));
    const b = t.buffer.active,
      rows = Array.from({ length: t.rows }, (_, y) => b.getLine(b.baseY + y)?.translateToString(true) ?? "");
    const all = squeeze(rows.join(""));
    if (all === last) continue;
    last = all;
    lists.forEach((words, i) => {
      if (words.some(w => all.includes(w))) found.set(i, { at, text: rows.join("\n").replace(/\n+$/, "") });
    });
  }
  return found;
}
