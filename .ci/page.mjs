// page.mjs PAGE.html [DIR]: opens an HTML export in headless Chromium, light, dark and on a phone. A click on a message has to move the
// player there; no error may appear on the console, and no request may leave the page. Screenshots go to DIR.
// Needs playwright-core (npm i playwright-core) and a Chromium ($CHROMIUM, else /usr/bin/chromium).
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [page, dir = "."] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const wrong = [];
const views = {
  light: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true },
};
for (const [name, view] of Object.entries(views)) {
  const tab = await (await browser.newContext(view)).newPage();
  tab.on("console", (m) => wrong.push(`${name}: console ${m.type()}: ${m.text()}`));
  tab.on("pageerror", (e) => wrong.push(`${name}: ${e}`));
  tab.on("request", (r) => /^(file|data|blob):/.test(r.url()) || wrong.push(`${name}: request ${r.url()}`));
  await tab.goto(pathToFileURL(path.resolve(page)).href);
  await tab.waitForSelector(".ap-player canvas");
  const messages = await tab.$$("article[data-at]");
  const message = messages[Math.min(3, messages.length - 1)];
  const want = Number(await message.getAttribute("data-at"));
  await message.$eval("h2 span", (e) => e.click());
  await tab.waitForFunction((at) => Math.abs(player.getCurrentTime() - at) < 0.1, want, { timeout: 5000 }).catch(() => wrong.push(`${name}: the player is not at ${want}`));
  if (await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth)) wrong.push(`${name}: wider than the window`);
  await tab.screenshot({ path: path.join(dir, `${name}.png`) });
}
await browser.close();
console.log(wrong.join("\n") || "the page is in order");
process.exit(wrong.length ? 1 : 0);
