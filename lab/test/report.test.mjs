import assert from "node:assert/strict";
import test from "node:test";
import { quoted } from "../frames.mjs";
import { byKind, fallen, report } from "../report.mjs";
import { before, compare } from "../versions.mjs";

const run = (kind, exact, notes = []) => ({
  name: `claude-2.0.0-${kind}-1`,
  kind,
  exact,
  chars: 1,
  tools: null,
  code: null,
  markdown: null,
  events: 1,
  notes,
});

test("the version before is the newest released one", () => {
  const all = ["0.9.0", "0.10.0", "0.10.1-nightly.1", "0.11.0", "0.2.0"];
  assert.equal(before("0.11.0", all), "0.10.0");
  assert.equal(before("0.2.0", all), null);
  assert.ok(compare("0.10.0", "0.9.9") > 0);
});

test("a figure that fell is found, by kind and in all", () => {
  const rows = byKind([run("basic", 1), run("table", 0.5)], [run("basic", 1), run("table", 1)]);
  assert.deepEqual(
    fallen(rows).map(d => `${d.kind} ${d.figure}`),
    ["table exact", "all exact"],
  );
  assert.deepEqual(fallen(byKind([run("table", 1)], [run("table", 0.5)])), []);
  assert.deepEqual(
    fallen(byKind([run("new", 0)], [run("old", 1)])).map(d => d.kind),
    ["all"],
  );
});

test("the report has the figures, the differences and their frames", () => {
  const note = 'user missing: "Explain why the cache flushes"',
    name = "claude-2.0.0-table-1",
    frames = new Map([[name, new Map([[0, { at: 3.25, text: "> Explain ```why" }]])]]);
  const text = report({
    agent: "claude",
    version: "2.0.0",
    previous: "1.9.0",
    now: [run("table", 0.5, [note])],
    before: [run("table", 1)],
    frames,
    failed: ["claude-2.0.0-storm-1"],
  });
  for (const want of [
    "# claude 2.0.0, compared with 1.9.0",
    "| table | 1 | **0.500** (1.000) |",
    note,
    "At 3.25 s",
    "````text",
    "claude-2.0.0-storm-1",
  ])
    assert.ok(text.includes(want), `${want} is not in:\n${text}`);
});

test("a note's quoted words are looked for without blanks", () => {
  assert.deepEqual(quoted('user missing: "Explain why the \\"x\\" goes"'), [
    'Explainwhythe"x"goes',
    'Explainwhythe"x"goes',
  ]);
  assert.deepEqual(quoted("events: want start got"), []);
});
