// Makes scenarios whose replies are real text: excerpts of Markdown documents on this machine, such as the READMEs
// and changelogs of Go modules and npm packages. The truth beside each recording has the text.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** The folders to search: those in LAB_CORPUS, or Go's module cache, the lab's cache and npm's own packages. */
export const folders = () =>
  (process.env.LAB_CORPUS?.split(":") ?? [
    process.env.GOMODCACHE ?? path.join(process.env.GOPATH ?? path.join(os.homedir(), "go"), "pkg/mod"),
    process.env.LAB_CACHE ?? "/var/tmp/ptyrec-lab",
    path.resolve(process.execPath, "../../lib/node_modules"),
  ]).filter(d => fs.existsSync(d));

/** The sorted paths of the Markdown documents of 1 to 100 kB below some folders. Of copies it takes one. */
export function documents(dirs = folders()) {
  const found = new Map();
  const walk = (dir, deep) => {
    let entries = [];
    try {
      entries = fs.readdirSync(dir, { withFileTypes: true });
    } catch {
      return; // no longer there, or not to be read
    }
    for (const e of entries) {
      const file = path.join(dir, e.name);
      if (e.isDirectory() && deep < 12) walk(file, deep + 1);
      else if (e.isFile() && /\.(md|markdown)$/i.test(e.name)) {
        const { size } = fs.statSync(file);
        if (size >= 1000 && size <= 100_000) found.set(`${e.name} ${size}`, file);
      }
    }
  };
  for (const d of dirs) walk(d, 0);
  return [...found.values()].sort();
}

/** The blocks of a document, between blank lines. Fenced code is one block; indented lines belong to the one above. */
export function blocksOf(text) {
  const out = [];
  let open = null,
    block = [];
  const end = () => {
    if (block.some(l => l.trim())) out.push(block.join("\n").replace(/\s+$/, ""));
    block = [];
  };
  for (const l of text.replace(/\r\n?/g, "\n").replace(/^---\n[^]*?\n---\n/, "").split("\n")) {
    if (!open && /^\S/.test(l) && block.at(-1)?.trim() === "") end();
    const f = /^\s*(`{3,}|~{3,})/.exec(l)?.[1];
    if (f && !open) open = f;
    else if (f && f.startsWith(open) && !l.trim().slice(f.length)) open = null;
    block.push(l);
  }
  if (!open) end(); // a fence that is never closed takes in what follows
  return out;
}

/** Whether an agent could say a block: it has no control characters and no overlong lines or words. */
const sayable = b =>
  !/[\u0000-\u0008\u000b-\u001f\u007f]/.test(b) && b.split("\n").every(l => l.length < 600 && !/\S{300}/.test(l));

/** Successive blocks of a document, about size characters in all. at is where they begin: 0 is the start, 1 the end. */
export function excerpt(text, at, size) {
  const all = blocksOf(text),
    from = Math.floor(at * all.length);
  let reply = "";
  for (const b of [...all.slice(from), ...all.slice(0, from)]) {
    if (!sayable(b) || reply.length + b.length > 2 * size) continue;
    reply += (reply && "\n\n") + b;
    if (reply.length >= size) break;
  }
  return reply;
}

let known; // the documents, found once

/** A paragraph of a document as a person would type or paste it: prose alone, of 20 to max characters. */
export function promptOf(text, m, max) {
  const prose = blocksOf(text)
    .map(b => b.replace(/\s+/g, " "))
    .filter(b => b.length >= 20 && b.length <= max && sayable(b) && !b.includes("](") && /^[\p{L}"'(]/u.test(b) && !/^\d+[.)]/.test(b));
  return prose.length ? m.of(prose) : "";
}

/** The kind corpuschat: prompts of real text, some of them pasted, and tools that print real files. */
export function corpuschat(m) {
  known ??= documents();
  if (!known.length) throw new Error(`no Markdown documents in ${folders().join(" ")}: name others with LAB_CORPUS`);
  const read = () => fs.readFileSync(m.of(known), "utf8"),
    draw = (from, enough) => {
      let got = "";
      while (got.length < enough) got = from();
      return got;
    },
    notes = draw(() => excerpt(read(), m.r(), 4000), 1500).split("\n"),
    word = m.of(notes.join(" ").match(/\b[A-Za-z]{4,9}\b/g) ?? ["code"]),
    hits = notes.flatMap((l, i) => (l.includes(word) ? [`${i + 1}:${l}`] : [])),
    from = m.int(1, Math.max(1, notes.length - 14)),
    answer = () => m.text(draw(() => excerpt(read(), m.r(), m.int(200, 900)), 100)),
    pasted = draw(() => excerpt(read(), m.r(), m.int(200, 600)), 80);
  return {
    files: { "notes.md": notes.join("\n") + "\n" },
    turns: [
      { prompt: draw(() => promptOf(read(), m, 300), 20), reply: [answer()] },
      {
        prompt: draw(() => promptOf(read(), m, 160), 20),
        reply: [{ run: `grep -n ${word} notes.md`, output: hits[0]?.trim().slice(0, 30) ?? null }, answer()],
      },
      { prompt: pasted, paste: true, reply: [{ run: `sed -n ${from},${from + 12}p notes.md`, output: null }, answer()] },
    ],
  };
}

/** The kind corpus: three questions, each answered with an excerpt. */
export function corpus(m) {
  known ??= documents();
  if (!known.length) throw new Error(`no Markdown documents in ${folders().join(" ")}: name others with LAB_CORPUS`);
  const turns = [];
  for (let i = 0; i < 3; i++) {
    let reply = "";
    while (reply.length < 150) reply = excerpt(fs.readFileSync(m.of(known), "utf8"), m.r(), m.int(300, 2200));
    turns.push({ prompt: m.ask(), reply: [m.text(reply)] });
  }
  return { turns };
}
