// The chat page of agentapi's API: conversation, input, raw keys, stop, upload.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { launch, leftOpen, open as openIn, skip } from "./browser.mjs";
import { said, start } from "./program.mjs";

let program, browser;

// A program that answers lines, and names the keys that are no line.
const answers = `#!/usr/bin/env bash
echo ready
while IFS= read -r line; do
	printf 'It got %q\\n' "$line"
done
`;

before(async () => {
  if (skip) return;
  program = await start();
  browser = await launch();
});
afterEach(leftOpen);
after(async () => {
  await browser?.close();
  await program?.stop();
});

const messages = (tab) => tab.$$eval(".message:not([hidden])", (all) => all.map((m) => `${m.classList.contains("user") ? "user" : "agent"}: ${m.textContent}`));
const shows = (tab, text) => tab.waitForFunction((t) => [...document.querySelectorAll(".message, .bad")].some((m) => m.textContent.includes(t)), text, { timeout: 60_000 });
const status = (tab, s) => tab.waitForSelector(`#state[data-status=${s}]`, { timeout: 60_000 });

// use does on a chat page what a person does.
async function use(tab, file) {
  await status(tab, "stable");
  await shows(tab, "ready");
  await tab.fill("#text", "one two?");
  await tab.press("#text", "Enter");
  await shows(tab, "It got one\\ two\\?");
  await status(tab, "stable");
  assert.deepEqual((await messages(tab)).slice(1), ["user: one two?", "agent: It got one\\ two\\?"]);
  assert.equal(await tab.inputValue("#text"), "");
  await tab.fill("#text", "by the button");
  await tab.click("#send");
  await shows(tab, "It got by\\ the\\ button");
  await status(tab, "stable");
  await tab.setInputFiles("#file", file);
  await tab.waitForFunction(() => document.querySelector("#text").value.startsWith('@"/'));
  const path = /^@"(.*)" $/.exec(await tab.inputValue("#text"))[1];
  assert.equal(readFileSync(path, "utf8"), "what is in it\n");
  await tab.fill("#text", "");
  await tab.click("#raw");
  await tab.locator("#text").pressSequentially("raw");
  await tab.click("#stop"); // Escape
  await tab.press("#text", "Enter");
  await shows(tab, "It got $'raw\\E'");
  await tab.click("#raw");
  await status(tab, "stable");
}

test("I17 the chat page of an agentapi server", { skip }, async () => {
  const server = program.child("agentapi", "server", "--port", "0", "--term-width", "80", "--term-height", "40", "--", program.script("answers", answers));
  const address = await said(server, /http:\/\/127\.0\.0\.1:\d+/);
  const file = program.script("note.txt", "what is in it\n");
  const { tab, shot, check } = await openIn(browser, "light", `${address}/`);
  assert.match(tab.url(), /\/chat\/embed$/);
  await use(tab, file);
  await shot("chat");
  const before = await messages(tab);
  await tab.reload();
  await status(tab, "stable");
  await shows(tab, "It got $'raw\\E'");
  assert.deepEqual(await messages(tab), before);
  await check();
});

test("I17 the chat page of a session that serve has", { skip }, async () => {
  const id = program.detach(program.script("answers2", answers));
  const server = program.child("serve", "--agentapi", "--listen", "127.0.0.1:0");
  const shown = new URL(await said(server, /https?:\/\/[^\s#]+#token=\S+/));
  const token = shown.hash.slice("#token=".length);
  const file = program.script("note2.txt", "what is in it\n");
  const address = `http://x:${token}@${shown.host}/agentapi/${id}/chat/embed`;
  const refused = await openIn(browser, "phone", address); // its console has the refusal
  await status(refused.tab, "stable");
  await shows(refused.tab, "ready");
  await refused.tab.fill("#text", "not granted");
  await refused.tab.click("#send");
  await shows(refused.tab, "nobody has granted it");
  assert.deepEqual(await messages(refused.tab), ["agent: ready"]);
  await refused.close();
  program.run("grant", id);
  const { tab, shot, check } = await openIn(browser, "phone", address);
  await use(tab, file);
  await shot("chat");
  await check();
});

test("I17 the page of the API's document", { skip }, async () => {
  const server = program.child("agentapi", "server", "--port", "0", "--", program.script("answers3", answers));
  const address = await said(server, /http:\/\/127\.0\.0\.1:\d+/);
  const { tab, check } = await openIn(browser, "light", `${address}/docs`);
  await tab.waitForSelector("text=/message");
  await check();
});
