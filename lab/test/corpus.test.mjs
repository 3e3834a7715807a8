import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { blocksOf, documents, excerpt, promptOf } from "../corpus.mjs";

test("a fence and what is indented below an item belong to one block", () => {
  const text = "---\ntitle: x\n---\n# A\n\nOne\ntwo\n\n- item\n\n  more of it\n\n```go\na\n\nb\n```\n\nEnd";
  assert.deepEqual(blocksOf(text), ["# A", "One\ntwo", "- item\n\n  more of it", "```go\na\n\nb\n```", "End"]);
  assert.deepEqual(blocksOf("One\n\n```\nnever closed\n\nTwo"), ["One"]);
});

test("an excerpt has whole blocks, and no control characters", () => {
  const text = "# A\n\nOne\n\n\u001b[31mred\n\n```\ncode\n```\n\nTwo";
  assert.equal(excerpt(text, 0, 1000), "# A\n\nOne\n\n```\ncode\n```\n\nTwo");
  assert.equal(excerpt(text, 0.9, 5), "Two\n\n# A");
});

test("documents are Markdown of some length, each once", () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "corpus-"));
  const write = (name, size) => {
    fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    fs.writeFileSync(path.join(dir, name), "x".repeat(size));
  };
  for (const name of ["a/README.md", "b/README.md"]) write(name, 2000);
  write("a/short.md", 10);
  write("a/main.go", 2000);
  assert.deepEqual(documents([dir]).map(f => path.relative(dir, f)), ["b/README.md"]);
  fs.rmSync(dir, { recursive: true });
});

test("a prompt is a paragraph of prose", () => {
  const text = "# A title\n\n- an item of a list\n\nOne sentence\nof two lines.\n\n[a](b) link in a paragraph\n\nshort";
  assert.equal(promptOf(text, { of: list => list.at(-1) }, 100), "One sentence of two lines.");
  assert.equal(promptOf("# A", { of: list => list[0] }, 100), "");
});
