// Item 3.9: the list of sessions: how many there are, which are shown, what is said of them, and what a silent server means.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { launch, leftOpen, open as openIn, skip } from "./browser.mjs";
import { line, root, start } from "./program.mjs";

const many = 130;

let program, browser;

before(async () => {
  if (skip) return;
  program = await start();
  browser = await launch();
  const folder = path.join(path.dirname(program.script("x", "")), "many");
  mkdirSync(folder);
  for (let i = 0; i < many; i++) { // many of them began in the same second
    const header = { version: 2, width: 80, height: 24, timestamp: 1760000000 + Math.floor(i / 40), command: `job ${i}`, title: `Job ${String(i).padStart(3, "0")}` };
    writeFileSync(path.join(folder, `${i}.cast`), `${JSON.stringify(header)}\n[0.1,"o","done ${i}\\r\\n"]\n`);
  }
  program.run("import", folder);
  program.import("claude/2.1.329-markdown");
  program.import("codex/0.169.0-tools");
  program.run("run", "--", "true");
  const ids = JSON.parse(program.run("list", "--json", "--limit", "1000")).map((s) => s.id);
  program.run("tag", ids.at(-1), "oldest");
});
afterEach(leftOpen);
after(async () => {
  await browser?.close();
  await program?.stop();
});

const open = (view, p, origin = program.url.origin) => openIn(browser, view, `${origin}${p}#token=${program.token}`);
const rows = (tab) => tab.$$eval(".session", (all) => all.length);
const counts = (tab, n) => tab.waitForFunction((m) => document.querySelectorAll(".session").length === m, n);

// It said "50 sessions" where there were 355, and pages by time dropped those of one second.
test("3.9 all sessions are counted, and reached page by page", { skip }, async () => {
  const { tab, shot, check } = await open("light", "/");
  await tab.waitForSelector(`.count >> text=${many + 3} sessions`);
  assert.equal(await rows(tab), 50);
  await shot("many");
  await tab.click("text=Older sessions");
  await counts(tab, 100);
  await tab.click("text=Older sessions");
  await counts(tab, many + 3);
  assert.equal(new Set(await tab.$$eval(".session", (all) => all.map((a) => a.href))).size, many + 3);
  await tab.waitForSelector("text=Older sessions", { state: "hidden" });
  await check();
});

// There was no filter but by agent, and Back lost the place.
test("3.9 filters, and Back to the same place", { skip }, async () => {
  const { tab, check } = await open("light", "/");
  await tab.waitForSelector("select[aria-label='Any folder']");
  await tab.selectOption("select[aria-label='Any tag']", "oldest");
  await counts(tab, 1);
  await tab.reload();
  await tab.waitForSelector(".count >> text=1 session");
  assert.equal(await tab.$eval("select[aria-label='Any tag']", (s) => s.value), "oldest");
  await tab.click("text=Clear");
  await counts(tab, 50);
  await tab.selectOption("select[aria-label='Any folder']", root);
  await counts(tab, 1);
  await tab.click("text=Clear");
  await tab.selectOption("select[aria-label=Time]", "0");
  await counts(tab, 1);
  await tab.selectOption("select[aria-label=Time]", "dates");
  await counts(tab, 50);
  await tab.fill("input[aria-label=To]", "2025-10-09");
  await tab.waitForSelector(`.count >> text=${many} sessions`);
  await tab.fill("input[aria-label=From]", "2025-10-10");
  await tab.waitForSelector("text=No session is like that");
  await tab.click("text=Clear");
  await tab.click(".chip >> text=claude");
  await counts(tab, 1);
  await tab.click(".chip >> text=claude");
  await counts(tab, 50);
  await tab.click("text=Older sessions");
  await counts(tab, 100);
  await tab.evaluate(() => scrollTo(0, document.body.scrollHeight / 2));
  await tab.waitForFunction(() => history.state?.scroll === scrollY);
  const [before, at] = await tab.evaluate(() => [scrollY, [...document.querySelectorAll(".session")].findIndex((s) => s.getBoundingClientRect().top > 0)]);
  await tab.$$eval(".session", (all, i) => all[i].click(), at);
  await tab.waitForSelector("#talk");
  await tab.goBack();
  await counts(tab, 100);
  await tab.waitForFunction((y) => scrollY === y, before);
  await tab.$$eval(".session", (all, i) => all[i].click(), at);
  await tab.waitForSelector("#talk");
  await tab.click("a.back"); // the page's own way back
  await counts(tab, 100);
  await tab.waitForFunction((y) => scrollY === y, before);
  await check();
});

// The page could only read.
test("3.9 sessions are named, tagged, noted and deleted", { skip }, async () => {
  const { tab, shot, check } = await open("light", "/");
  await tab.waitForSelector(".session");
  const id = (await tab.getAttribute(".session >> nth=3", "href")).slice(3);
  const listed = () => JSON.parse(program.run("list", "--json", "--limit", "1000")).find((s) => s.id === id);
  await tab.hover(".sessions li >> nth=3");
  await tab.click(".edit >> nth=3");
  await tab.fill("input[name=name]", "The one with the bug");
  await tab.fill("input[name=tags]", "bug, release");
  await tab.fill("textarea[name=note]", "look at <b>this</b>");
  await shot("edit");
  await tab.click("text=Save");
  await tab.waitForSelector(".name >> text=The one with the bug");
  await tab.waitForSelector(".noted >> text=look at <b>this</b>");
  assert.deepEqual([listed().title, listed().tags, listed().note], ["The one with the bug", ["bug", "release"], "look at <b>this</b>"]);
  await tab.click(".name >> text=The one with the bug");
  await tab.click(".more");
  await tab.click("text=Name, tags, note, delete…");
  await tab.fill("input[name=tags]", "release");
  await tab.click("text=Save");
  await tab.waitForFunction(() => [...document.querySelectorAll(".heading .tag")].map((t) => t.textContent).join() === "release");
  await tab.click(".more");
  await tab.click("text=Name, tags, note, delete…");
  await tab.fill("input[name=tags]", "x".repeat(65)); // which the server refuses
  await tab.click("text=Save");
  await tab.waitForSelector("dialog .bad:visible");
  await tab.click("dialog >> text=Delete…");
  await tab.waitForSelector("text=This cannot be undone");
  await shot("delete");
  assert.equal(await tab.evaluate(() => document.activeElement.textContent), "Keep it");
  await tab.click("text=Keep it");
  assert.ok(listed(), "deleted without confirmation");
  await tab.click(".more");
  await tab.click("text=Name, tags, note, delete…");
  await tab.click("dialog >> text=Delete…");
  await tab.click("dialog .danger");
  await tab.waitForSelector(`.count >> text=${many + 2} sessions`);
  assert.equal(listed(), undefined);
  const wrong = await check().catch((e) => e);
  assert.match(String(wrong?.message ?? "400"), /400/); // of the tag that was refused
});

// Titles, notes and tags were searched by ptyrec search alone.
test("3.5 a session is found by its tag", { skip }, async () => {
  const { tab, check } = await open("light", "/?q=oldest");
  await tab.waitForSelector(".count >> text=1 hit");
  await tab.waitForSelector(".hit mark >> text=oldest");
  await tab.click(".hit");
  await tab.waitForSelector("article");
  await check();
});

// The list showed old states as if they were true.
test("3.9 the list says that the server is silent, and recovers", { skip }, async (t) => {
  const wire = await line(Number(program.url.port));
  t.after(wire.close);
  const { tab, shot, check } = await open("light", "/", `http://127.0.0.1:${wire.port}`);
  await tab.waitForSelector(".session");
  wire.down();
  await tab.waitForSelector("text=The server does not answer");
  assert.ok((await rows(tab)) > 0, "what was there is gone");
  await shot("silent");
  program.run("run", "--", "echo", "meanwhile");
  wire.up();
  await tab.waitForSelector("text=The server does not answer", { state: "hidden" });
  await tab.waitForSelector(".session >> text=echo meanwhile");
  await check();
});

// A session that was opened while the server was silent stayed an error.
test("3.9 a session opens when the server is back", { skip }, async (t) => {
  const wire = await line(Number(program.url.port));
  t.after(wire.close);
  const { tab, check } = await open("light", "/", `http://127.0.0.1:${wire.port}`);
  await tab.waitForSelector(".session");
  wire.down();
  await tab.click(".session >> text=that");
  await tab.waitForSelector("text=No answer");
  wire.up();
  await tab.waitForSelector("article");
  await check();
});

// The page counts who waits in its title, and uses the browser's notifications when allowed.
test("21.1 a badge, the title, and a notification", { skip }, async () => {
  const { tab, check } = await open("light", "/");
  await tab.waitForSelector(".session");
  let state = "busy";
  await tab.route(/\/api\/sessions\?/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    Object.assign(body.sessions[0], { status: "live", state: { state, agent: "claude" } });
    await route.fulfill({ response: answer, json: body });
  });
  await tab.evaluate(() => {
    window.told = [];
    window.Notification = class {
      static permission = "granted";
      static requestPermission = async () => "granted";
      constructor(title, { body }) { window.told.push(`${title}: ${body}`); }
      close() {}
    };
  });
  await tab.click(".bell");
  await tab.waitForSelector(".bell[aria-pressed=true]");
  const again = () => tab.evaluate(() => dispatchEvent(new Event("online")));
  await again();
  await tab.waitForSelector(".pill.busy");
  await tab.evaluate(() => Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "hidden" }));
  state = "asking";
  await again();
  await tab.waitForSelector(".pill.asking");
  await tab.waitForFunction(() => document.title.startsWith("(1) ") && window.told.length === 1);
  assert.match((await tab.evaluate(() => window.told))[0], /^ptyrec: claude asks for approval/);
  await tab.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "visible" });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await tab.waitForFunction(() => !document.title.startsWith("("));
  await tab.click(".bell");
  await tab.waitForSelector(".bell[aria-pressed=false]");
  await check();
});

// Sessions of one conversation are linked both ways, and a button copies the command.
test("21.2 what a session continues, and what continues it", { skip }, async () => {
  const claude = program.script("claude", `#!/bin/sh\nif [ "$1" = --resume ]; then echo resumed; exit; fi\nPAUSE=0.01 ${root}/testdata/demo/agent.sh\necho 'claude --resume fd275993-4dbb-423f-9c63-17f6544f3c69'\n`);
  program.run("run", "--", claude);
  program.run("resume", "last");
  const [next, first] = JSON.parse(program.run("list", "--json", "--limit", "2"));
  assert.equal(next.continues, first.id);
  const { tab, check } = await open("light", `/s/${next.id}`);
  await tab.click("a.relative >> text=continues");
  await tab.waitForURL(`**/s/${first.id}`);
  await tab.click("summary.more");
  await tab.click("text=Copy the command that resumes it");
  await tab.waitForSelector(`.toast >> text=ptyrec resume ${first.id}`);
  await tab.click("a.relative >> text=continued");
  await tab.waitForURL(`**/s/${next.id}`);
  await check();
});
