import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { clearCommand, PACKAGES } from "../agents.mjs";
import { framesWith } from "../frames.mjs";
import { chunks, serve, splitSteps } from "../mock.mjs";
import { kindsOf, make } from "../scenarios.mjs";
import { truth } from "../truth.mjs";

test("a scenario is a function of its kind, seed and agent", () => {
  for (const agent of Object.keys(PACKAGES))
    for (const kind of kindsOf(agent)) {
      const s = make(kind, 7, agent);
      assert.deepEqual(s, make(kind, 7, agent), `${agent} ${kind}`);
      assert.ok(s.cols > 0 && s.rows > 0 && s.turns.length > 0, `${agent} ${kind}`);
      assert.ok(truth(s).entries.length > 0, `${agent} ${kind}`);
    }
  assert.notDeepEqual(make("basic", 7, "claude").turns, make("basic", 8, "claude").turns);
});

test("the truth has the prompts, the replies and the tools in order", () => {
  const t = truth({
    agent: "claude",
    turns: [{ prompt: "a", reply: [{ text: "b" }, { run: "ls", output: "c" }, { text: "d" }] }, { clear: true }],
  });
  assert.deepEqual(
    t.entries.map(e => e.event ?? `${e.role} ${e.text ?? e.contains}`),
    ["start", "user a", "assistant b", "tool ls", "assistant d", "clear"],
  );
});

test("what an agent has no tool for may be missing, and Enter is only pressed where it asks", () => {
  const entry = a => truth(make("ask", 7, a)).entries.find(e => e.role === "tool");
  assert.equal(entry("gemini").may, true);
  assert.equal(entry("claude").may, undefined);
  const acts = a => make("exitplan", 7, a).turns.filter(t => t.acts).length;
  assert.deepEqual([acts("claude"), acts("qwen")], [1, 0]);
});

test("a picture is pasted as its file, whose label the prompt begins with", () => {
  for (const [agent, begin] of Object.entries({ claude: "[Image #1] ", codex: "[Image #1] ", gemini: "[Image shot.png] " })) {
    const s = make("images", 7, agent),
      [turn] = s.turns;
    assert.deepEqual([...s.files["shot.png"].subarray(1, 4)], [...Buffer.from("PNG")]);
    assert.match(turn.keys[0], /shop\/shot\.png/);
    assert.ok(turn.keys.join("").endsWith(` ${turn.prompt}`), "the server finds the reply by these words");
    assert.equal(truth(s).entries.find(e => e.role === "user").text, begin + turn.prompt);
  }
});

test("chunks are the text", () => {
  const text = "one two  three\n\n- four five six seven eight\n";
  assert.equal(chunks(text).join(""), text);
  assert.deepEqual(splitSteps([{ text: "a" }, { run: "ls" }, { text: "b" }]).length, 2);
});

test("the server answers each agent's API with the scripted reply", async t => {
  const scenario = {
      cwd: "/",
      chunkMs: 0,
      turns: [{ prompt: "Explain why the parser drops rows", reply: [{ text: "Because it does." }] }],
    },
    { port, server } = await serve(scenario);
  t.after(() => server.close());
  const prompt = scenario.turns[0].prompt,
    tools = ["a", "b", "c"];
  for (const [where, body] of [
    [
      "/v1/messages",
      {
        stream: true,
        messages: [{ role: "user", content: prompt }],
        tools: tools.map(name => ({ name })),
        system: "x",
      },
    ],
    [
      "/v1/responses",
      {
        stream: true,
        input: [{ type: "message", role: "user", content: [{ text: prompt }] }],
        tools: tools.map(name => ({ name })),
      },
    ],
    [
      "/v1/chat/completions",
      {
        stream: true,
        messages: [{ role: "user", content: prompt }],
        tools: tools.map(name => ({ function: { name } })),
      },
    ],
    [
      "/v1beta/models/m:streamGenerateContent",
      {
        contents: [{ role: "user", parts: [{ text: prompt }] }],
        tools: [{ functionDeclarations: tools.map(name => ({ name })) }],
      },
    ],
  ]) {
    const answer = await (
      await fetch(`http://127.0.0.1:${port}${where}`, { method: "POST", body: JSON.stringify(body) })
    ).text();
    assert.ok(answer.includes("Because") && answer.includes("does."), `${where}: ${answer.slice(0, 300)}`);
  }
  const messages = [prompt, "[SUGGESTION MODE: Suggest what the user might naturally type next.]"].map(content => ({ role: "user", content }));
  const aside = await (
    await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ messages, tools: tools.map(name => ({ function: { name } })) }),
    })
  ).text();
  assert.ok(aside.includes("Test session"), "what Qwen asks besides is no turn");
});

test("the last frame with the words is found", async t => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "lab-"));
  t.after(() => fs.rmSync(dir, { recursive: true }));
  const cast = path.join(dir, "a.cast"),
    events = [
      [0.5, "o", "hello wor"],
      [1, "o", "ld\r\n"],
      [1.5, "r", "30x4"],
      [2, "o", "\x1b[2J\x1b[Hgone"],
    ];
  fs.writeFileSync(
    cast,
    [{ version: 2, width: 20, height: 4 }, ...events].map(l => JSON.stringify(l)).join("\n") + "\n",
  );
  const found = await framesWith(cast, [["helloworld"], ["gone"], ["never"]]);
  assert.deepEqual([...found.keys()].sort(), [0, 1]);
  assert.deepEqual(found.get(0), { at: 1, text: "hello world" });
  assert.equal(found.get(1).text, "gone");
});

test("Codex clears its conversation by another command before 0.100", () => {
  assert.equal(clearCommand("codex", "0.98.0"), "/new");
  assert.equal(clearCommand("codex", "0.125.0"), "/clear");
  assert.equal(clearCommand("opencode", "1.18.33"), "/new");
});

test("a reply whose connection is cut may have what came before it, too", () => {
  const text = "one two three four five six seven eight nine",
    t = truth({ agent: "codex", turns: [{ prompt: "a", fail: [{ cut: 1 }], reply: [{ text }] }] }),
    reply = t.entries.find(e => e.role === "assistant");
  assert.equal(reply.text, text);
  assert.equal(reply.or, chunks(text)[0] + text);
});
