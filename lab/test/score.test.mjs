import assert from "node:assert/strict";
import test from "node:test";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { plain, score, scoreAll } from "../score.mjs";

const truth = entries => ({ name: "t", agent: "claude", version: "1.0.0", entries });
const talk = (...pairs) => pairs.map(([role, text]) => ({ role, text, markdown: text }));

test("plain leaves the words that a reader sees", () => {
  assert.equal(plain("## A *b*\n\n- **c** `d`\n\n```go\nx := 1\n```"), "A b c d x := 1");
  assert.equal(plain("1. a\n2.\n-"), "a"); // an item whose words were not there yet
  assert.equal(plain("| a | b |\n|---|---|\n| 1 | 2 |"), "a b 1 2");
});

test("plain reads emphasis as CommonMark does", () => {
  assert.equal(plain("_a_ __b__ ~~c~~ **1. d** ***e*** **f `g` _h_**"), "a b c 1. d e f g h");
  assert.equal(plain("snake_case_name and 2 * 3 * 4"), "snake_case_name and 2 * 3 * 4");
  assert.equal(plain("`_kept_` \\*so\\*"), "_kept_ *so*");
  assert.equal(plain("[text](../a.md) and ![](https://example.test/x.png)"), "text and https://example.test/x.png");
});

test("an agent may show the address of a link behind its text, or not", () => {
  const want = talk(["assistant", "See [the guide](guide.md#part) for more."]);
  for (const text of ["See the guide for more.", "See the guide (guide.md#part) for more."])
    assert.equal(score(truth(want), { entries: talk(["assistant", text]) }).exact, 1, text);
  assert.equal(score(truth(want), { entries: talk(["assistant", "See the guide (other.md) for more."]) }).exact, 0);
});

test("a bold line and a heading are one where the agent draws them alike", () => {
  const want = { ...truth(talk(["assistant", "## How to test:\n\nRun it."])) },
    got = { entries: talk(["assistant", "**How to test:**\n\nRun it."]) };
  assert.equal(score(want, got).markdown, 1);
  assert.equal(score({ ...want, agent: "codex" }, got).markdown, 0);
});

test("code by its indent alone is not invented", () => {
  const want = truth(talk(["assistant", "Run:\n\n    make all\n\nthen so:\n\n```\nmake test\n```"])),
    got = s => score(want, { entries: talk(["assistant", `Run:\n\n${s}\n\nthen so:\n\n\`\`\`\nmake test\n\`\`\``]) }).blocks;
  assert.equal(got("```\nmake all\n```"), 1);
  assert.equal(got("make all"), 1);
  assert.ok(got("make all\n\n```\nthen so:\n```") < 1);
});

test("blank lines around code do not count", () => {
  const want = truth(talk(["assistant", "So:\n\n```go\n\nx := 1\n\ny := 2\n\n```"]));
  assert.equal(score(want, { entries: talk(["assistant", "So:\n\n```\nx := 1\n\ny := 2\n```"]) }).blocks, 1);
  assert.ok(score(want, { entries: talk(["assistant", "So:\n\n```\nx := 1\ny := 2\n```"]) }).blocks < 1);
});

test("a link in bold words counts with or without its address", () => {
  const want = truth(talk(["assistant", "- **[Start](./start.md):** first."]));
  for (const text of ["- **Start:** first.", "- **Start (./start.md):** first."])
    assert.equal(score(want, { entries: talk(["assistant", text]) }).markdown, 1, text);
  assert.equal(score(want, { entries: talk(["assistant", "- Start: first."]) }).markdown, 0);
});

test("Gemini CLI parts a row at each bar", () => {
  const want = { ...truth(talk(["assistant", "| A | B |\n|---|---|\n| `x\\|y` | no |"])), agent: "gemini" };
  assert.equal(score(want, { entries: [{ role: "assistant", text: "A | B\n`x\\ | y`", markdown: "| A | B |\n| --- | --- |\n| `x\\ | y` |" }] }).exact, 1);
});

test("of what was never seen, words may lack the marks that were still to come", () => {
  const want = { role: "assistant", text: "It runs `npm\ninit` ...\n\n[![CI](https://example.test/a.svg)](https://example.test/b)\n\nSo.", visible: 0.5, unseen: ["It runs `npm", "init`", "![CI (https://example.test/a.svg)](https://example.test/b)"] };
  assert.equal(score(truth([want]), { entries: talk(["assistant", "It runs npm\n\nCI\n\nSo."]) }).exact, 1);
});

test("what was redacted is no fault, what is wrong around it is", () => {
  const want = talk(["assistant", "Use\n\n```\ngit clone https://me:pass@example.test/a.git\n```"]);
  const got = s => ({ entries: [{ role: "assistant", text: s, markdown: s }] });
  const r = score(truth(want), got("Use\n\n```\ngit clone https://me:[redacted:url-password]@example.test/a.git\n```"));
  assert.deepEqual([r.exact, r.code], [1, 1]);
  assert.equal(score(truth(want), got("Use\n\n```\ngit clone https://me:[redacted:url-password]@example.test/b.git\n```")).exact, 0);
});

test("a recording whose run failed is not scored", () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "score-")),
    entries = talk(["assistant", "One"]),
    names = { "a-1-basic-1": { complete: true }, "b-1-basic-1": { complete: false }, "c-1-basic-1": {} };
  for (const [name, more] of Object.entries(names)) {
    fs.writeFileSync(path.join(dir, `${name}.truth.json`), JSON.stringify({ ...truth(entries), ...more }));
    fs.writeFileSync(path.join(dir, `${name}.json`), JSON.stringify({ entries }));
  }
  assert.deepEqual(scoreAll(dir, dir).map(r => r.name), ["a-1-basic-1", "c-1-basic-1"]);
  fs.rmSync(dir, { recursive: true });
});

test("a transcript that is right scores 1 everywhere", () => {
  const entries = talk(["user", "Why?"], ["assistant", "Because **so**.\n\n```go\nx := 1\n```"]);
  const r = score(truth([{ event: "start" }, ...entries]), { entries: [{ event: "cli:newSession" }, ...entries] });
  assert.deepEqual([r.exact, r.chars, r.code, r.markdown, r.events, r.notes], [1, 1, 1, 1, 1, []]);
});

test("what is missing, wrong or invented is named", () => {
  const want = talk(
    ["user", "Why does the cache lose rows?"],
    ["assistant", "Because the lock is held."],
    ["user", "And the disk?"],
  );
  const got = talk(
    ["user", "Why does the cache lose rows?"],
    ["assistant", "Because the lock was held."],
    ["assistant", "Nobody said this at all."],
  );
  const r = score(truth(want), { entries: got });
  assert.equal(r.exact, 2 / 6);
  assert.equal(r.notes.length, 3);
  assert.match(r.notes[0], /assistant differs/);
  assert.match(r.notes[1], /user missing: "And the disk\?"/);
  assert.match(r.notes[2], /assistant spurious: "Nobody said/);
});

test("a tool's output counts where the agent showed it", () => {
  const call = { role: "tool", op: "run", contains: "ls -1", output: "main.go", shown: true, outputShown: true };
  const got = output => ({
    entries: [{ role: "tool", text: "Bash(ls -1)", tool: { name: "Bash", input: "ls -1", output } }],
  });
  assert.equal(score(truth([call]), got("main.go")).tools, 1);
  assert.equal(score(truth([call]), got("")).tools, 0);
  assert.equal(score(truth([{ ...call, outputShown: false }]), got("")).tools, 1);
});

test("calls that run side by side count in any order", () => {
  const call = c => ({ role: "tool", op: "run", contains: c, shown: true, output: c, outputShown: true });
  const got = c => ({ role: "tool", text: `Bash(${c})`, tool: { name: "Bash", input: c, output: c } });
  const said = talk(["assistant", "Done."])[0];
  const r = score(truth([call("echo a"), call("echo b"), said, call("echo c")]), {
    entries: [got("echo b"), got("echo a"), said, got("echo c")],
  });
  assert.deepEqual([r.tools, r.notes], [1, []]);
  assert.equal(score(truth([call("echo a"), said, call("echo c")]), { entries: [got("echo c"), said, got("echo a")] }).tools, 0);
});

test("a call that was not shown takes none from one that was", () => {
  const read = { role: "tool", op: "read", contains: "main.go", shown: false };
  const edit = { role: "tool", op: "edit", contains: "main.go", output: "1.5", shown: true, outputShown: true };
  const got = { role: "tool", text: "Update(main.go)", tool: { name: "Update", input: "main.go", output: "+1.5" } };
  assert.equal(score(truth([read, edit]), { entries: [got] }).tools, 1);
});

test("of a message that was not on the screen whole, all that was seen must be there, and nothing else", () => {
  const want = { role: "assistant", text: "one two three four five six seven eight nine ten", visible: 0.67, unseen: ["five six seven eight"] };
  const exact = text => score(truth([want]), { entries: talk(["assistant", text]) }).exact;
  assert.equal(exact("one two three four nine ten"), 1);
  assert.equal(exact("one two three four five six nine ten"), 1);
  assert.equal(exact("one two three four five si nine ten"), 1);
  assert.equal(exact("one two three four ten"), 0);
  assert.equal(exact("one two three four nine eleven ten"), 0);
  assert.equal(score(truth([{ ...want, visible: 0 }]), { entries: [] }).exact, 1);
});

test("of a link whose words were never on the screen, the address may be there alone", () => {
  const want = { role: "assistant", text: "See [the guide](https://example.test/guide) for more.", visible: 0.5, unseen: ["See the guide (https://example.test/guide)"] };
  const exact = text => score(truth([want]), { entries: talk(["assistant", text]) }).exact;
  assert.equal(exact("See https://example.test/guide for more."), 1);
  assert.equal(exact("See https://example.test/other for more."), 0);
});

test("a message that was not on the screen whole may show its links, images and references in any way", () => {
  const text = "[![Build][build-image]][build] All of it is here.\n\nSee the [LICENSE](LICENSE) file and [the docs](../docs/a.md).\n\nOne two three four.\n\n[build]: https://example.test/b\n[build-image]: https://example.test/b.svg";
  const want = { role: "assistant", text, visible: 0.8, unseen: ["One two three four."] };
  const exact = text => score(truth([want]), { entries: talk(["assistant", text]) }).exact;
  assert.equal(exact("Build All of it is here.\n\nSee the LICENSE (LICENSE) file and the docs (../docs/a.md)."), 1);
  assert.equal(exact("Build All of it is here.\n\nSee the LICENSE file and the docs."), 1);
  assert.equal(exact("Build All of it is here.\n\nSee the LICENSE file and."), 0);
  assert.equal(exact("Build All of is here.\n\nSee the LICENSE file and the docs."), 0);
});

test("a link of which only the beginning was on the screen may be there as it is written", () => {
  const want = { role: "assistant", text: "All of it is here.\n\nSee [`Cache.get(options [, key])`](cache.md#get).", visible: 0.6, unseen: ["See [Cache.get(options [, key])](cache.md#get)."] };
  const exact = text => score(truth([want]), { entries: talk(["assistant", text]) }).exact;
  assert.equal(exact("All of it is here.\n\nSee [`Cache.get(options"), 1);
  assert.equal(exact("All of it is here.\n\nSee [`Cache.put(options"), 0);
});

test("an event that may be there is right where it is and where it is not", () => {
  const want = truth([{ event: "start" }, { event: "interrupt", may: true }, { event: "clear" }]);
  for (const events of [
    ["start", "clear"],
    ["start", "interrupt", "clear"],
  ])
    assert.equal(score(want, { entries: events.map(event => ({ event })) }).events, 1);
  assert.ok(score(want, { entries: [{ event: "start" }, { event: "interrupt" }] }).events < 1);
});

test("the little of a message that was seen is right, even if its code begins with a dash", () => {
  const unseen = Array.from({ length: 60 }, (_, i) => `word${i}`),
    code = "```yaml\n- a: 1\n```",
    t = { role: "assistant", text: `${unseen.join(" ")}\n\n${code}`, unseen: Array.from({ length: 15 }, (_, i) => unseen.slice(4 * i, 4 * i + 4).join(" ")) },
    got = { entries: [{ role: "assistant", text: "- a: 1", markdown: code }] },
    r = score(truth([t]), got);
  assert.deepEqual([r.exact, r.chars, r.code, r.notes], [1, 1, 1, []]);
});

test("a code block with tabs may be indented as the agent drew it", () => {
  const text = "```go\nfunc a() {\n\treturn\n}\n```",
    got = blank => ({ entries: talk(["assistant", text.replace("\t", blank)]) }),
    code = (indents, blank) => score(truth([{ role: "assistant", text, indents }]), got(blank)).code;
  assert.deepEqual(["", "    ", " "].map(b => code([["func a() {", [0, 0, 0]]], b)), [1, 1, 0]);
  assert.deepEqual(["", "    "].map(b => code(undefined, b)), [0, 1]);
});

test("a code block that was not on the screen whole does not count, its words may be missing", () => {
  const want = { role: "assistant", text: "Do it:\n\n```sh\n# Build it\nmake all\n```", visible: 0.7, unseen: ["# Build it"] };
  const r = score(truth([want]), { entries: talk(["assistant", "Do it:\n\n```\nmake all\n```"]) });
  assert.deepEqual([r.exact, r.code], [1, null]);
  assert.equal(score(truth([{ ...want, unseen: ["Do it:"] }]), { entries: talk(["assistant", "```\nmake all\n```"]) }).code, 0);
});

test("bold words and code within pieces that were never there do not count", () => {
  const want = { role: "assistant", text: "Every request duplicates **a shared buffer** with `user_id` too.\n\nIt **works**.", visible: 0.3, unseen: ["Every request duplicates a", "shared buffer with user_id", "too."] };
  assert.equal(score(truth([want]), { entries: talk(["assistant", "It **works**."]) }).markdown, 1);
  assert.equal(score(truth([want]), { entries: talk(["assistant", "It works."]) }).markdown, 0);
});

test("cells that were never on the screen whole may be shortened, but say nothing else", () => {
  const want = { role: "assistant", text: "| A | B |\n|---|---|\n| one two three four five six | Default |", visible: 0.5, unseen: ["five six", "Default"] };
  const exact = text => score(truth([want]), { entries: talk(["assistant", text]) }).exact;
  assert.equal(exact("A | B\none two three four five… | Def"), 1);
  assert.equal(exact("A | B\none two three four… | Def"), 1);
  assert.equal(exact("A | B\none two three… | Def"), 0);
  assert.equal(exact("A | B\none two three four five… | other"), 0);
  assert.equal(exact("A | B\none two three four five… | Def\nmore"), 0);
});

test("what the screen shows of a picture depends on the version", () => {
  const want = { role: "user", text: "[Image #1] What is this?", or: "/tmp/shot.png What is this?" };
  for (const [text, exact] of [
    [want.text, 1],
    [want.or, 1],
    ["What is this?", 0],
  ])
    assert.equal(score(truth([want]), { entries: talk(["user", text]) }).exact, exact, text);
});

test("a message whose middle was never there may be two entries that say so", () => {
  const want = { role: "assistant", text: "one two\nthree four\nend\nfive six\nend\nseven eight", visible: 0.6, unseen: ["three four", "five six"] },
    cut = (a, b) => [
      { role: "assistant", text: a, truncated_at: "tail" },
      { role: "assistant", text: b, truncated_at: "head" },
    ];
  assert.equal(score(truth([want]), { entries: cut("one two", "end\nseven eight") }).exact, 1, "end is there twice");
  assert.equal(score(truth([want]), { entries: cut("one two", "seven eight") }).exact, 1);
  assert.ok(score(truth([want]), { entries: cut("one two", "other words") }).exact < 1);
  const whole = cut("one two", "seven eight").map(({ truncated_at, ...e }) => e);
  assert.ok(score(truth([want]), { entries: whole }).exact < 1, "they do not say so");
});

test("what must be there comes before what may be", () => {
  const must = { role: "assistant", text: "one two three" };
  assert.equal(score(truth([{ ...must, may: true }, must]), { entries: talk(["assistant", must.text]) }).exact, 1);
});

test("of a prompt that was not on the screen whole, part of a line may be there, too", () => {
  const t = truth([
      { role: "user", text: "the second line of it", whole: "the first line of all that was pasted\nthe second line of it", unseen: ["the first line of", "all that was pasted"] },
      { role: "assistant", text: "Noted." },
    ]),
    got = text => score(t, { entries: talk(["user", text], ["assistant", "Noted."]) }),
    exact = text => got(text).exact;
  assert.equal(exact("was pasted\nthe second line of it"), 1);
  assert.equal(exact("the second line of it"), 1);
  assert.equal(exact("was pasted\nthe second line"), 0.5);
  assert.equal(got("the first line of all that was pasted\nthe second line of it").chars, 1);
});

test("blocks counts what is lost, and what a transcript has beside it", () => {
  const said = "# One\n\n```\na\nb\n```\n\n| x | y |\n| --- | --- |\n| 1 | 2 |",
    t = truth([{ role: "assistant", text: said }]),
    blocks = text => score(t, { entries: talk(["assistant", text]) }).blocks;
  assert.equal(blocks(said), 1);
  assert.equal(blocks(said.replace("# One", "**One**")), 1); // Claude Code draws both alike
  assert.equal(blocks(said.replace("a\nb", "a\nb\nc")), 6 / 8);
  assert.equal(blocks(said.replace("| 1 | 2 |", "")), 6 / 7);
  assert.equal(blocks(said + "\n| 3 | 4 |"), 8 / 9);
});

test("links by reference, underlined headings and broken marks are read as Markdown", () => {
  const said = "Title\n=====\n\nSee [the guide][g] and `a\nb`, <https://a.test/x>.\n\n[g]: https://b.test/guide";
  assert.equal(plain(said), "Title See the guide and a b, https://a.test/x.");
  const exact = text => score(truth(talk(["assistant", said])), { entries: talk(["assistant", text]) }).exact;
  assert.equal(exact("Title\n\nSee the guide and a b, https://a.test/x."), 1);
  assert.equal(exact("Title\n\nSee the guide and a b, https://a.test/x.\n\nmore"), 0);
});

test("what an agent leaves out where it draws is not held against a transcript", () => {
  const exact = (agent, said, text) =>
    score({ ...truth(talk(["assistant", said])), agent }, { entries: talk(["assistant", text]) }).exact;
  assert.equal(exact("copilot", "A <b>bold</b> <br> word", "A bold word"), 1);
  assert.equal(exact("claude", "A <b>bold</b> <br> word", "A bold word"), 0);
  assert.equal(exact("copilot", "[![Build](https://a.test/b.svg)](https://a.test)", "Image: Build → https://a.test"), 1);
  assert.equal(exact("opencode", "[NOTE] see `[x]`", "NOTE see x"), 1);
  assert.equal(exact("codex", "[NOTE] see `[x]`", "NOTE see x"), 0);
  assert.equal(exact("opencode", "see https://a.test/x", "see https://a.test/x (https://a.test/x)"), 1);
  assert.equal(exact("claude", "see https://a.test/x", "see https://a.test/x (https://a.test/x)"), 0);
  const marked = (agent, said, markdown) =>
    score(
      { ...truth(talk(["assistant", said])), agent },
      { entries: [{ ...talk(["assistant", markdown])[0], markdown }] },
    ).markdown;
  const said = "# Use `x`\n\n[`y`](https://a.test) and `z`";
  assert.equal(marked("opencode", said, "# Use x\n\ny (https://a.test) and `z`"), 1);
  assert.ok(marked("opencode", "Use `x`", "Use x") < 1);
  assert.ok(marked("codex", "# Use `x`", "# Use x") < 1);
});

test("images, addresses and cells are compared as the agent draws them", () => {
  const exact = (agent, said, text) =>
    score({ ...truth(talk(["assistant", said])), agent }, { entries: talk(["assistant", text]) }).exact;
  const address = "at [a.test](https://a.test).";
  assert.equal(exact("claude", address, "at https://a.test."), 1);
  assert.equal(exact("codex", address, "at https://a.test."), 0);
  assert.equal(exact("claude", "at [b.test](https://a.test).", "at https://a.test."), 0);
  const image = "![One](https://a.test/i) two";
  for (const agent of ["gemini", "qwen"]) assert.equal(exact(agent, image, "!One (https://a.test/i) two"), 1);
  assert.equal(exact("claude", image, "!One (https://a.test/i) two"), 0);
  assert.equal(exact("opencode", "[![One][b]][a]\n\n[a]: https://a.test", "One[b]"), 1);
  const row = "| a |\n|---|\n| `x *` y |";
  assert.equal(exact("copilot", row, "| a |\n| --- |\n| x * y |"), 1);
  assert.equal(exact("claude", "\u2b07\ufe0f One", "\u2b07 One"), 1);
});

test("a tab within a line of code may be so many blanks, or go to the next stop", () => {
  const code = got => score(truth(talk(["assistant", "```\n\tx\n// a\tb\n```"])), { entries: talk(["assistant", "```\n" + got + "\n```"]) }).blocks;
  assert.equal(code("    x\n// a    b"), 1);
  assert.equal(code("        x\n// a    b"), 1);
  assert.equal(code("    x\n// a b") < 1, true);
});

test("code spans side by side are one in Claude Code alone", () => {
  const spans = agent =>
    score(
      { ...truth(talk(["assistant", "Use `a` `b` `c` now"])), agent },
      { entries: [{ role: "assistant", text: "Use a b c now", markdown: "Use `a b c` now" }] },
    ).markdown;
  assert.equal(spans("claude"), 1);
  assert.equal(spans("gemini"), 0);
});

test("Gemini CLI opens no code for a language with signs in its name", () => {
  const said = "One\n\n```c++\nint a;\n```\n\nTwo\n\n```go\nb\n```",
    of = (agent, text) => score({ ...truth(talk(["assistant", said])), agent }, { entries: talk(["assistant", text]) });
  const r = of("gemini", "One\n\n`c++\nint a;\n\nTwo\n\n```\nb\n```");
  assert.deepEqual([r.exact, r.code, r.blocks], [1, 1, 1]);
  assert.equal(of("claude", "One\n\n`c++\nint a;\n\nTwo\n\n```\nb\n```").exact, 0);
});

test("an underlined heading may be one, and one that was never drawn as such may be none", () => {
  const blocks = (text, unstyled, got) =>
    score(truth([{ role: "assistant", text, unstyled }]), { entries: talk(["assistant", got]) }).blocks;
  assert.equal(blocks("# One\n\nTwo\n---", undefined, "# One\n\n# Two"), 1);
  assert.equal(blocks("# One\n\nTwo", undefined, "# One\n\n# Two") < 1, true);
  assert.equal(blocks("# One\n\n# Two", ["# Two"], "# One\n\nTwo"), 1);
  assert.equal(blocks("# One\n\n# Two", undefined, "# One\n\nTwo") < 1, true);
});

test("lines that were never there may be missing, and only those", () => {
  const said = "```\na\nx\n```\n\n```\nb\nx\n```",
    of = (unshown, text) =>
      score(truth([{ role: "assistant", text: said, unshown }]), { entries: talk(["assistant", text]) });
  assert.equal(of([2], "```\na\n```\n\n```\nb\nx\n```").exact, 1);
  assert.equal(of([2], "```\na\nx\n```\n\n```\nb\n```").exact, 0);
  assert.equal(of([2], "```\na\n```\n\n```\nb\n```").code, 0);
  assert.equal(of(undefined, "```\na\n```\n\n```\nb\nx\n```").exact, 0);
});
