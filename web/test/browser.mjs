// A headless Chromium that looks at a page which watches itself. Needs playwright-core (npm ci) and a Chromium ($CHROMIUM, else /usr/bin/chromium).
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const skip = existsSync(executablePath) ? false : `there is no ${executablePath}`;
export const shots = process.env.SHOTS ?? path.join(path.dirname(fileURLToPath(import.meta.url)), "../node_modules/.shots");
export const views = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
  narrow: { viewport: { width: 980, height: 700 }, colorScheme: "light" },
};
const offline = /WebSocket connection to|ERR_CONNECTION|ERR_EMPTY_RESPONSE|Failed to load resource: net::/; // what Chromium says of a line that is down

export function launch() {
  mkdirSync(shots, { recursive: true });
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
}

const unchecked = new Set(); // tabs of tests that did not come to their end

/** leftOpen is for afterEach: it shows and closes what a failed test left open. */
export async function leftOpen(t) {
  for (const tab of unchecked) {
    await tab.screenshot({ path: path.join(shots, "failed.png") }).catch(() => {});
    t.diagnostic?.(await tab.evaluate(() => document.body.innerText).catch(String));
    await shut(tab);
  }
  unchecked.clear();
}

/** shut closes a tab with its context. A route that still waits for the server's answer would fail after the test and fail its whole file. */
async function shut(tab) {
  await tab.unrouteAll({ behavior: "ignoreErrors" });
  await tab.context().close();
}

/** open opens a page that watches itself: check fails if the console shows an error, a request went elsewhere, or the page is wider than the window. */
export async function open(browser, view, address) {
  const context = await browser.newContext(views[view]);
  context.setDefaultTimeout(60_000);
  const tab = await context.newPage();
  unchecked.add(tab);
  const url = new URL(address);
  const wrong = [];
  tab.on("console", (m) => m.type() === "error" && !offline.test(m.text()) && wrong.push(`console: ${m.text()}`));
  tab.on("pageerror", (e) => wrong.push(String(e)));
  tab.on("dialog", (d) => wrong.push(`dialog ${d.message()}`));
  tab.on("request", (r) => /^(data|blob):/.test(r.url()) || new URL(r.url()).origin === url.origin || wrong.push(`request ${r.url()}`));
  tab.on("websocket", (w) => new URL(w.url()).host === url.host || wrong.push(`websocket ${w.url()}`));
  await tab.addInitScript(() => {
    window.longTasks = [];
    new PerformanceObserver((l) => window.longTasks.push(...l.getEntries().map((e) => Math.round(e.duration)))).observe({ type: "longtask" });
  });
  await tab.goto(url.href);
  const close = () => {
    unchecked.delete(tab);
    return shut(tab);
  };
  return {
    tab, close,
    shot: (name) => tab.screenshot({ path: path.join(shots, `${name}-${view}.png`) }),
    screen: () => tab.$$eval(".xterm-rows > div", (rows) => rows.map((r) => r.textContent.replaceAll("\u00a0", " ").trimEnd()).join("\n")),
    shows: (text) => tab.waitForFunction((t) => [...document.querySelectorAll(".xterm-rows > div")].some((r) => r.textContent.replaceAll("\u00a0", " ").includes(t)), text),
    nodes: () => tab.evaluate(() => document.querySelectorAll("*").length),
    /** visible waits until an entry with a text is in what is visible of the conversation. */
    visible: (text) => tab.waitForFunction((t) => {
      const view = document.querySelector("#talk")?.getBoundingClientRect();
      return [...document.querySelectorAll("article")].some((a) => {
        const box = a.getBoundingClientRect();
        return view && a.textContent.includes(t) && box.bottom > view.top && box.top < view.bottom;
      });
    }, text),
    async check() {
      assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "wider than the window");
      assert.deepEqual(wrong, []);
      await close();
    },
  };
}
