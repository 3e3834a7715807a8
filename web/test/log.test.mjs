// A session from an agent's own log has a conversation, and no terminal.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { launch, leftOpen, open as openIn, skip } from "./browser.mjs";
import { start } from "./program.mjs";

let program, browser, id;

before(async () => {
  if (skip) return;
  program = await start();
  browser = await launch();
  const folder = path.join(path.dirname(program.script("x", "")), ".claude/projects/-shop");
  mkdirSync(folder, { recursive: true });
  const line = (type, uuid, content) => JSON.stringify({ type, uuid, timestamp: "2026-11-20T08:15:28.086Z", cwd: "/shop", version: "2.1.197", message: { content, ...(type === "assistant" ? { id: "m1", model: "claude-sonnet-4-5", usage: { input_tokens: 20000, output_tokens: 1000 } } : {}) } });
  writeFileSync(path.join(folder, "11111111-aaaa.jsonl"), [line("user", "a", "Why is the cache empty?"), line("assistant", "b", "The key was **wrong**.")].join("\n"));
  program.run("import", "--agent-logs", "claude");
  id = JSON.parse(program.run("list", "--json"))[0].id;
});
afterEach(leftOpen);
after(async () => {
  await browser?.close();
  await program?.stop();
});

const open = (view, p) => openIn(browser, view, `${program.url.origin}${p}#token=${program.token}`);

test("21.8 the list says that a session is from a log", { skip }, async () => {
  const { tab, check } = await open("light", "/");
  await tab.waitForSelector(".session .facts >> text=from its log");
  await tab.waitForSelector(".session .facts >> text=21.0k tokens, $0.07"); // 21.9
  await check();
});

for (const view of ["light", "phone"])
  test(`21.8 a session from a log, ${view}`, { skip }, async () => {
    const { tab, check, shot } = await open(view, `/s/${id}`);
    await tab.waitForSelector("text=The key was wrong.");
    await tab.waitForSelector(".heading >> text=from claude’s own log, no recording");
    await tab.waitForSelector(".heading >> text=21.0k tokens, $0.07 · from"); // 21.9
    assert.equal(await tab.locator("#stage").count(), 0);
    assert.equal(await tab.locator(".tabs").count(), 0);
    await shot("log");
    await tab.click("summary.more");
    await tab.waitForSelector(".menu >> text=Markdown");
    assert.equal(await tab.locator(".menu >> text=Asciicast").count(), 0);
    await check();
  });
