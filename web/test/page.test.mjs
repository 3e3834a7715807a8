// The page in headless Chromium, against the real program: `make web-test`. Needs playwright-core (npm ci) and a Chromium ($CHROMIUM, else
// /usr/bin/chromium). Screenshots go to $SHOTS, else node_modules/.shots.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { line, start } from "./program.mjs";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const skip = existsSync(executablePath) ? false : `there is no ${executablePath}`;
const shots = process.env.SHOTS ?? path.join(path.dirname(fileURLToPath(import.meta.url)), "../node_modules/.shots");
const views = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
};
const offline = /WebSocket connection to|ERR_CONNECTION|Failed to load resource: net::/; // what Chromium says of a line that is down

let program, browser;

before(async () => {
  if (skip) return;
  mkdirSync(shots, { recursive: true });
  program = await start();
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
});

after(async () => {
  await browser?.close();
  await program?.stop();
});

/** open opens a page that watches itself: check fails where the console said something, or a request went elsewhere. */
async function open(view, address, token = program.token) {
  const context = await browser.newContext(views[view]);
  const tab = await context.newPage();
  const url = new URL(address);
  const wrong = [];
  tab.on("console", (m) => offline.test(m.text()) || wrong.push(`console ${m.type()}: ${m.text()}`));
  tab.on("pageerror", (e) => wrong.push(String(e)));
  tab.on("request", (r) => /^(data|blob):/.test(r.url()) || new URL(r.url()).origin === url.origin || wrong.push(`request ${r.url()}`));
  tab.on("websocket", (w) => new URL(w.url()).host === url.host || wrong.push(`websocket ${w.url()}`));
  if (token) url.hash = `token=${token}`;
  await tab.goto(url.href);
  return {
    tab,
    shot: (name) => tab.screenshot({ path: path.join(shots, `${name}-${view}.png`) }),
    screen: () => tab.$$eval(".xterm-rows > div", (rows) => rows.map((r) => r.textContent.replaceAll("\u00a0", " ").trimEnd()).join("\n")),
    shows: (text) => tab.waitForFunction((t) => [...document.querySelectorAll(".xterm-rows > div")].some((r) => r.textContent.replaceAll("\u00a0", " ").includes(t)), text),
    async check() {
      assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "wider than the window");
      assert.deepEqual(wrong, []);
      await context.close();
    },
  };
}

const at = (p) => new URL(p, program.url.origin).href;

test("a past session is found, read and replayed", { skip }, async () => {
  program.import("claude/2.1.329-markdown");
  program.import("codex/0.169.0-tools");
  for (const view of Object.keys(views)) {
    const { tab, shot, screen, check } = await open(view, at("/"));
    await tab.waitForSelector(".session");
    assert.equal(new URL(tab.url()).hash, "", "the token stays in the address");
    await shot("list");
    await tab.click("text=Codex");
    await tab.waitForFunction(() => document.querySelectorAll(".session").length === 1);
    await tab.click("text=Codex");
    await tab.waitForFunction(() => document.querySelectorAll(".session").length === 2);
    await tab.fill("input[type=search]", "rebuilds");
    await tab.waitForSelector(".hit mark");
    await shot("search");
    await tab.click(".hit");
    await tab.waitForSelector("article[aria-current]");
    await shot("conversation");
    const prompts = tab.locator("article.user");
    const last = prompts.last();
    const words = (await last.locator(".text").innerText()).trim().slice(0, 30);
    await (view === "phone" ? last.locator(".at") : last).click();
    await tab.waitForFunction((w) => [...document.querySelectorAll(".xterm-rows > div")].map((r) => r.textContent).join(" ").replaceAll("\u00a0", " ").includes(w), words);
    const before = await screen();
    await shot("replay");
    await tab.click(".round");
    await tab.waitForFunction((b) => [...document.querySelectorAll(".xterm-rows > div")].map((r) => r.textContent.replaceAll("\u00a0", " ").trimEnd()).join("\n") !== b, before);
    await check();
  }
});

test("keys reach everything", { skip }, async () => {
  const { tab, check } = await open("light", at("/"));
  await tab.waitForSelector(".session");
  await tab.keyboard.press("j");
  await tab.keyboard.press("Enter");
  await tab.waitForSelector("article");
  await tab.keyboard.press("?");
  await tab.waitForSelector("dialog[open]");
  await tab.click("dialog button");
  await tab.waitForSelector("dialog", { state: "detached" });
  await tab.keyboard.press("j");
  await tab.keyboard.press("j");
  await tab.keyboard.press("Enter");
  await tab.waitForFunction(() => document.activeElement?.matches("article[aria-current]"));
  await tab.keyboard.press("u");
  await tab.waitForSelector(".session");
  await tab.keyboard.press("/");
  assert.ok(await tab.evaluate(() => document.activeElement?.matches("input[type=search]")));
  await check();
});
