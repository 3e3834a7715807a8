// The page that `ptyrec export talk.html` writes, in a browser: a click on a message moves the player there, nothing is said on the console, no request
// leaves the page. Screenshots go to $SHOTS where that is set. Needs a Chromium ($CHROMIUM, else /usr/bin/chromium).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { root } from "./program.mjs";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const skip = existsSync(executablePath) ? false : `there is no ${executablePath}`;
const views = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true, hasTouch: true },
};
const fixtures = { claude: "claude/2.1.197-tools", agents: "claude/2.1.197-agents", codex: "codex/0.169.0-edits", markdown: "claude/2.1.329-markdown" };

let browser, dir, run;

before(async () => {
  if (skip) return;
  dir = mkdtempSync(path.join(os.tmpdir(), "ptyrec-export-"));
  const bin = process.env.PTYREC ?? path.join(dir, "bin", "ptyrec");
  if (!process.env.PTYREC) execFileSync("go", ["build", "-o", bin, "./cmd/ptyrec"], { cwd: root, stdio: "inherit" });
  run = (db, ...args) => execFileSync(bin, ["--db", path.join(dir, db), ...args], { cwd: dir, encoding: "utf8", env: { ...process.env, HOME: dir, XDG_CONFIG_HOME: dir }, stdio: ["ignore", "pipe", "ignore"] });
  for (const [name, fixture] of Object.entries(fixtures)) {
    run(name, "import", path.join(root, "testdata/transcripts", fixture, "session.cast.gz"));
    run(name, "export", path.join(dir, `${name}.html`));
  }
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});
after(async () => {
  await browser?.close();
  if (dir) rmSync(dir, { recursive: true, force: true });
});

/** open shows an exported page; complaints is what it should not have said or asked for. */
async function open(name, view) {
  const tab = await (await browser.newContext(views[view])).newPage();
  const complaints = [];
  tab.on("console", (m) => complaints.push(`console ${m.type()}: ${m.text()}`));
  tab.on("pageerror", (e) => complaints.push(String(e)));
  tab.on("request", (r) => /^(file|data|blob):/.test(r.url()) || complaints.push(`request ${r.url()}`));
  await tab.goto(pathToFileURL(path.join(dir, `${name}.html`)).href);
  await tab.waitForSelector(".ap-player canvas");
  return { tab, complaints };
}

const playsAt = (tab, at) => tab.waitForFunction((want) => Math.abs(window.player.getCurrentTime() - want) < 0.1, at, { timeout: 5000 });
const momentOf = async (message) => Number(await message.getAttribute("data-at"));

for (const name of Object.keys(fixtures)) {
  for (const view of Object.keys(views)) {
    test(`${name}, ${view}: a message moves the player`, { skip }, async () => {
      const { tab, complaints } = await open(name, view);
      for (const message of (await tab.$$("article[data-at]")).slice(0, 6)) {
        await message.$eval(".who, .fold code, .fold.flat, .fold, pre, .plain", (e) => e.click());
        await playsAt(tab, await momentOf(message));
        assert.match(await message.getAttribute("class"), /now/);
      }
      assert.ok(!(await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)), "wider than the window");
      if (process.env.SHOTS) await tab.screenshot({ path: path.join(process.env.SHOTS, `${name}-${view}.png`) });
      assert.deepEqual(complaints, []);
    });
  }
}

test("prompts, keys, buttons and the address lead to a message", { skip }, async () => {
  const { tab, complaints } = await open("claude", "light");
  const users = await tab.$$("article.user");
  const listed = await tab.$$("#prompts a");
  assert.equal(listed.length, users.length);
  assert.ok(users.length > 1);
  await listed[1].click();
  await playsAt(tab, await momentOf(users[1]));
  assert.match(await listed[1].getAttribute("class"), /now/);
  await tab.keyboard.press("k");
  await playsAt(tab, await tab.$eval("article.now", (e) => Number(e.dataset.at)));
  assert.doesNotMatch(await users[1].getAttribute("class"), /now/);
  await users[0].$eval(".at button", (e) => e.click());
  const begun = await momentOf(users[0]);
  await tab.waitForFunction((at) => window.player.getCurrentTime() > at + 0.2, begun, { timeout: 10000 });
  assert.deepEqual(complaints, []);

  const id = await users[1].getAttribute("id");
  await tab.goto(`about:blank`);
  await tab.goto(`${pathToFileURL(path.join(dir, "claude.html")).href}#${id}`);
  await tab.waitForSelector(`#${id}.now`);
  assert.deepEqual(complaints, []);
});

test("folds open together, and the theme changes", { skip }, async () => {
  const { tab, complaints } = await open("codex", "light");
  await tab.click("#fold");
  assert.equal(await tab.$$eval("#talk details:not([open])", (all) => all.length), 0);
  assert.ok((await tab.$$("ins")).length > 0 && (await tab.$$("del")).length > 0, "a diff has no colours");
  const ground = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await tab.click("#theme");
  assert.notEqual(await ground(), light);
  assert.deepEqual(complaints, []);
});

test("asciinema-player takes casts of both versions", { skip }, async () => {
  const { tab, complaints } = await open("claude", "light");
  for (const format of ["cast2", "cast"]) {
    const data = run("claude", "export", "--format", format);
    assert.match(data, format === "cast" ? /"version":3/ : /"version":2/);
    const seconds = await tab.evaluate(async (text) => {
      const box = document.body.appendChild(document.createElement("div"));
      const player = AsciinemaPlayer.create({ data: text }, box, { preload: true });
      for (let i = 0; i < 100 && !(await player.getDuration()); i++) await new Promise((done) => setTimeout(done, 50));
      return player.getDuration();
    }, data);
    assert.ok(seconds > 1, `${format}: ${seconds} s`);
  }
  assert.deepEqual(complaints, []);
});
