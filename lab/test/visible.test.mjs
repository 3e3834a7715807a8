import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";

/** The entries of a truth, with what visible.mjs finds on a screen that shows these lines. */
function look(entries, lines) {
  return watch(entries, [[0, "o", lines.join("\r\n")]]);
}
/** The same of what a recording's events show. */
function watch(entries, events) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "visible-")),
    file = path.join(dir, "t.truth.json");
  try {
    fs.writeFileSync(file, JSON.stringify({ entries }));
    const cast = [{ version: 2, width: 80, height: 24 }, ...events];
    fs.writeFileSync(path.join(dir, "t.cast"), cast.map(l => JSON.stringify(l)).join("\n"));
    const program = path.join(import.meta.dirname, "..", "visible.mjs");
    for (let i = 0; i < 2; i++) execFileSync("node", [program, dir], { stdio: ["ignore", "ignore", "inherit"] }); // again: it says the same
    return JSON.parse(fs.readFileSync(file)).entries;
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}
const said = text => ({ role: "assistant", text });

test("words that another message shows are not those of this one", () => {
  const [one, two] = look(
    [said("A retry loop drops the checksum if the file is empty."), said("The parser locks the session map if the file is empty.")],
    ["A retry loop drops the checksum", "if the file is empty."],
  );
  assert.equal(one.unseen, undefined);
  assert.deepEqual(two.unseen, ["The parser locks the", "session map if the", "file is empty."]);
  assert.equal(two.visible, 0);
});

test("nor are ten words that end another message, too", () => {
  const tail = "validates the token so the parser drops the path as the log shows.",
    [one, two] = look([said(`Each worker ${tail}`), said(`Our cache ${tail}`)], [`Each worker ${tail}`]);
  assert.equal(one.unseen, undefined);
  assert.equal(two.visible, 0);
});

test("a row of a table was there if its first cell was, and the whole of it", () => {
  const [table] = look(
    [said("| row | note |\n| --- | --- |\n| row1 | two rows |\n| row10 | two rows |")],
    ["│ row   │ note     │", "├───────┼──────────┤", "│ row10 │ two rows │"],
  );
  assert.deepEqual(table.unseen, ["row1", "two rows"]);
});

test("a row of a table whose first cell another row has was there if its next one was", () => {
  const [table] = look(
    [said("| a | b |\n| - | - |\n| key1 | 525 |\n\n| a | b |\n| - | - |\n| key1 | 43 |")],
    ["│ a    │ b  │", "├──────┼────┤", "│ key1 │ 43 │"],
  );
  assert.deepEqual(table.unseen, ["key1", "525"]);
});

test("of a table whose cells are shortened, what its rows showed last counts", () => {
  const [table] = watch(
    [said("| a | b |\n| - | - |\n| one two three four five six | x |")],
    ["| one two three four five six | x |", "│ one two three four five six │   │", "│ one two three four... │   │"].map((l, i) => [i, "o", `\r\u001b[K${l}`]),
  );
  assert.deepEqual(table.unseen, ["a", "b", "five six", "x"]);
});

test("a numbered item was there if its number was", () => {
  const [list] = look([said("1. The parser skips it\n2. Our cache keeps it\n3. The parser skips it")], ["1. The parser skips it"]);
  assert.deepEqual(list.unseen, ["Our cache keeps it"]);
  assert.deepEqual(list.unstyled, ["2. Our cache keeps it", "3. The parser skips it"]);
});

test("what passed on the alternate screen within one burst was never there", () => {
  const [reply] = watch([said("The parser skips it.\n\nOur cache keeps it.")], [
    [0, "o", "\u001b[?1049hThe parser skips it."],
    [0.001, "o", "\rOur cache keeps it.\u001b[K"],
    [1, "o", "\r\n"],
  ]);
  assert.deepEqual(reply.unseen, ["The parser skips it."]);
});

test("of a prompt that was never there whole, the truth is the longest run of lines that was", () => {
  const lines = ["one line of it ends so", "a second line ends so", "a third line ends so", "the last line ends so"];
  const [prompt] = look([{ role: "user", text: lines.join("\n") }], lines.slice(1));
  assert.equal(prompt.text, lines.slice(1).join("\n"));
  assert.equal(prompt.whole, lines.join("\n"));
  assert.deepEqual(prompt.unseen, ["one line of it", "ends so"]);
});

test("the beginning of a long line that stood in a status line alone may be missing", () => {
  const words = Array.from({ length: 48 }, (_, i) => `word${i}`),
    [prompt] = look([{ role: "user", text: words.join(" ") }], [`~/shop · ${words.slice(0, 10).join(" ")}…`, ...[24, 32, 40].map(i => words.slice(i, i + 8).join(" "))]);
  assert.deepEqual(prompt.unseen.join(" ").split(" "), words.slice(0, 24));
});

test("nor are the words of such a line of a prompt of several lines", () => {
  const line = n => Array.from({ length: 24 }, (_, i) => `word${n}.${i}`),
    lines = [1, 2, 3, 4, 5].map(line),
    [prompt] = look([{ role: "user", text: lines.map(l => l.join(" ")).join("\n") }], [`~/shop · ${lines[0].slice(0, 10).join(" ")}…`, ...lines.slice(1).flatMap(l => [0, 8, 16].map(i => l.slice(i, i + 8).join(" ")))]);
  assert.deepEqual(prompt.unseen.join(" ").split(" "), lines[0]);
  assert.equal(prompt.text, lines.slice(1).map(l => l.join(" ")).join("\n"));
});

test("what the shell never showed may be missing", () => {
  const [one, two] = look([{ role: "shell", text: "ls -l" }, { role: "shell", text: "clear" }], ["~/shop# ls -l", "type /clear"]);
  assert.equal(one.may, undefined);
  assert.equal(two.may, true);
});

test("a heading that was never drawn as one does not count", () => {
  const [reply] = look([said("# One\n\ntext\n\n## Two\n\nmore")], ["One", "text", "\x1b[1mTwo\x1b[m", "more"]);
  assert.deepEqual(reply.unstyled, ["# One"]);
});

test("a heading is drawn as one only in a row of its own", () => {
  const long = "A heading that is so long that the row ends before it does, in this window",
    text = `# Note\n\nthe Note ends\n\n# ${long}`;
  const [reply] = look([said(text)], ["Note", "the \x1b[1mNote\x1b[m ends", `\x1b[1m${long.slice(0, 60)}\x1b[m`, long.slice(60)]);
  assert.deepEqual(reply.unstyled, ["# Note"]);
});

test("a command that was only typed may be missing", () => {
  const [one, two] = look([{ role: "command", text: "/help" }, { role: "command", text: "/status" }], ["› /help", "Help:", "› /status"]);
  assert.equal(one.may, undefined);
  assert.equal(two.may, true);
});

test("the lines of a code block with tabs are indented as they were drawn", () => {
  const text = "```go\nfunc a() {\n\treturn\n\n\tb()\n}\n```",
    [none, numbered, half] = [
      ["func a() {", "return", "", "b()", "}"],
      ["1 func a() {", "2    return", "3", "4  b()", "5 }"],
      ["func a() {", "return"],
    ].map(lines => look([said(text)], lines)[0].indents);
  assert.deepEqual([none, numbered, half], [[["func a() {", [0, 0, 0, 0, 0]]], [["func a() {", [0, 3, 0, 1, 0]]], undefined]);
});

test("a line of code that is in two blocks was there if it was with its neighbours", () => {
  const text = "```\nfunc a() {\n  x := 0\n}\n```\n\n### run\n\n```\nfunc b() {\n  x := 0\n}\n```\n\nrun it",
    alternate = "\x1b[?1049h",
    rows = ["func a() {", "", "func b() {", "  x := 0", "}", "", "run it"],
    [e] = watch([said(text)], [[0, "o", alternate + rows.join("\r\n")]]);
  assert.deepEqual(e.unshown, [2, 3, 6]);
  assert.deepEqual(e.unstyled, ["# run"]);
  const [whole] = watch([said(text)], [[0, "o", alternate + text.replaceAll("\n", "\r\n")]]);
  assert.equal(whole.unshown, undefined);
});
