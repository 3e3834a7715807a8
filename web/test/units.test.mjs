// The page's own functions, without a browser: hidden characters, diffs, languages.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const src = path.join(path.dirname(fileURLToPath(import.meta.url)), "../src");
let dir, page;

before(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), "ptyrec-units-"));
  const outfile = path.join(dir, "page.mjs");
  await build({ stdin: { contents: 'export * from "./hidden"; export * from "./diff"; export { guess } from "./code"; export { bare } from "./links"; export { Turns, wordsOf } from "./turn";', resolveDir: src }, outfile, bundle: true, format: "esm", logLevel: "error" });
  page = await import(pathToFileURL(outfile).href);
});
after(() => rmSync(dir, { recursive: true, force: true }));

// 3.9: hidden characters passed into titles, texts and tooltips.
test("3.9 hidden characters are named, others stay", () => {
  for (const [text, want] of [
    ["a\u202eb", "a{U+202E}b"], ["a\u200bb\ufeff", "a{U+200B}b{U+FEFF}"], ["\u{e0041}\u{e0042}", "{U+E0041}{U+E0042}"], ["x\u00ady", "x{U+00AD}y"], ["\u3164", "{U+3164}"], ["a\x1b[31mb\x07\x9b", "a[31mb"],
    ["a\u2028b\r\nc", "a\nb\nc"], ["tab\tline\n", "tab\tline\n"], ["a\u200db", "a{U+200D}b"], ["x\ufe0f", "x{U+FE0F}"], ["❤\ufe0f\ufe0f", "❤\ufe0f{U+FE0F}"],
    ["👩‍💻 ❤️ 1️⃣ 👍🏽", "👩‍💻 ❤️ 1️⃣ 👍🏽"], ["می‌خواهم", "می‌خواهم"], ["\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"], ["葛\u{e0100}", "葛\u{e0100}"], ["שלום – naïve 漢字", "שלום – naïve 漢字"],
  ]) assert.equal(page.printable(text), want);
  assert.deepEqual(page.allPrintable({ a: ["\u202e", { b: "\u200b" }], n: 1, z: null }), { a: ["{U+202E}", { b: "{U+200B}" }], n: 1, z: null });
});

// 3.9: edits were not coloured; a list in a new file, a date or the context of grep must not look like one.
test("3.9 edits are told from lists, dates and numbered output", () => {
  const signs = (text, tool) => (page.signs(text.split("\n"), tool) ?? []).map((s) => s || " ").join("");
  assert.equal(signs(" 7  }\n 8\n 9 -old\n 9 +new", "Update"), "  -+");
  assert.equal(signs("1 +# Todo\n2 +\n3 +- check", "Added"), "+++");
  assert.equal(signs("9     -func a()\n9     +func b()", "Edited"), "-+");
  assert.equal(signs(" 7   - name: a\n 8 -  - b\n 8 +  - c", "Update"), " -+");
  assert.equal(signs(" 8 a\n 9 -gone\n 9 b", "Patch"), " - ");
  assert.equal(signs(" 1 # Todo\n 2\n 3 - check\n 4 - add", "Write"), "");
  assert.equal(signs("2026-11-22 started\n2026-11-23 ended", "Bash"), "");
  assert.equal(signs("12-context\n13:hit\n14-context", "Grep"), "");
  assert.equal(signs("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n same", "Bash"), "   -+ ");
  assert.equal(signs("- a list\n- of words", "Bash"), "");
});

// 3.9: a terminal shows code without its language.
test("3.9 the language of code is recognised, prose has none", () => {
  for (const [code, want] of [
    ["func step251() int {\n    return 251 + 6\n}", "go"], ["package main\n\nimport \"fmt\"", "go"], ["def f(x):\n    return x", "python"], ["import os\nprint(os.name)", "python"], ["fn main() {\n    let x = 5;\n}", "rust"],
    ["const a = 1;\nfunction f() { return a; }", "javascript"], ["interface A { b: string }", "typescript"], ["SELECT * FROM users WHERE id = 3;", "sql"], ['{"a": 1, "b": [1, 2]}', "json"], ["name: x\nsteps:\n  - run: make", "yaml"],
    ["<div class=\"a\">x</div>", "xml"], [".a { color: red; }", "css"], ["$ git status", "bash"], ["npm install\nnpm test", "bash"], ["#include <stdio.h>\nint main() { return 0; }", "cpp"], ["public class A {\n}", "java"],
    ["This says nothing of code,\nbut has words like if and for.", undefined], ["a  b  c\n1  2  3", undefined], ["src/\n  main.go\n  util/", undefined], ["ok   example.com/pkg  0.01s", undefined],
  ]) assert.equal(page.guess(code), want, code);
});

// 3.9: bare addresses were no links; only harmless schemes may be.
test("3.9 bare addresses are links, of four schemes", () => {
  const urls = (text) => (page.bare.match(text) ?? []).map((m) => m.url);
  assert.deepEqual(urls("see https://a.example/x?y=1, (http://b.example) and mailto:c@d.example."), ["https://a.example/x?y=1", "http://b.example", "mailto:c@d.example"]);
  assert.deepEqual(urls("file:///etc/hosts. main.go www.a.example a@b.example ftp://x.example //y.example 10.0.0.1"), ["file:///etc/hosts"]);
  assert.deepEqual(urls("javascript:alert(1) data:text/html,x vbscript:x vscode://x JAVASCRIPT://a.example/%0aalert(1)"), []);
});

// Who began to wait while nobody looked is counted and told, once.
test("21.1 an agent that asks or has finished a long turn is told", () => {
  let now = 0, hidden = true;
  const told = [];
  const turns = new page.Turns(() => hidden, (s, state) => told.push(page.wordsOf(s, state)), () => now);
  const see = (state, after = 0) => {
    now += after;
    turns.see([{ id: "1", status: "live", agents: [{ name: "claude" }], cwd: "/home/me/src", state: { state } }]);
  };
  see("asking"); // it was so before the page came
  see("busy");
  see("idle", 19_999);
  assert.deepEqual(told, []);
  see("busy", 1000);
  see("asking", 10);
  see("asking", 10);
  assert.deepEqual(told, ["claude asks for approval, in ~/src"]);
  assert.equal(turns.count, 1);
  see("busy");
  assert.equal(turns.count, 0);
  see("idle", 20_000);
  assert.deepEqual(told.slice(1), ["claude has finished, in ~/src"]);
  assert.equal(turns.count, 1);
  turns.looked();
  hidden = false;
  see("busy");
  see("asking");
  assert.equal(told.length, 2);
  assert.equal(turns.count, 0);
});
