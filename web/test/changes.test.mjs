// What the agents changed, as a tab, and the download of a part. Needs a Chromium ($CHROMIUM, else /usr/bin/chromium).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { launch, leftOpen, open as openIn, skip } from "./browser.mjs";
import { root, start } from "./program.mjs";

let program, browser, id;

before(async () => {
  if (skip) return;
  program = await start();
  browser = await launch();
  program.run("import", path.join(root, "testdata/transcripts/claude/2.1.197-edits/session.cast.gz"));
  id = JSON.parse(program.run("list", "--json")).find((s) => s.agents.length).id;
});
afterEach(leftOpen);
after(async () => {
  await browser?.close();
  await program?.stop();
});

const open = (view, p) => openIn(browser, view, `${new URL(p, program.url.origin).href}#token=${program.token}`);

test("S7 the changes of a session are a tab", { skip }, async () => {
  for (const view of ["light", "phone"]) {
    const { tab } = await open(view, `/s/${id}`);
    await tab.waitForSelector("article");
    await tab.click(view === "phone" ? ".tabs [data-part=diff]" : "button.changed");
    await tab.waitForSelector(".changes .diff");
    const lines = await tab.$$eval(".changes .add, .changes .del", (all) => all.map((l) => l.textContent));
    assert.deepEqual(lines, ['-func version() string { return "1.4.0" }', '+func version() string { return "1.5.0" }', "+# Todo", "+", "+- check the cache", "+- add a test"].map((l) => l));
    assert.equal(await tab.isVisible("#stage"), false);
    assert.match(await tab.textContent(".changes h2"), /^#7 claude Update/);
    await tab.click(".changes h2 button");
    await tab.waitForFunction(() => document.querySelector(".sessionpage").dataset.part === "talk");
  }
});

test("S4 a part is downloaded", { skip }, async () => {
  const { tab } = await open("light", `/s/${id}`);
  await tab.waitForSelector("article");
  const save = async (fill) => {
    await tab.click("summary.more");
    await tab.click("text=A part, or a film…");
    await fill();
    const [download] = await Promise.all([tab.waitForEvent("download"), tab.click("dialog button.strong")]);
    return readFileSync(await download.path(), "utf8");
  };
  const whole = JSON.parse(program.run("show", id, "--json")).entries;
  const part = JSON.parse(await save(async () => {
    await tab.fill("dialog [name=from]", "7");
    await tab.selectOption("dialog [name=format]", "json");
    await tab.check("dialog [name=tools]");
  }));
  assert.deepEqual(part.entries.map((e) => e.seq), whole.filter((e) => e.seq >= 7 && e.role === "tool").map((e) => e.seq));
  const film = await save(() => tab.selectOption("dialog [name=format]", "film"));
  assert.match(film, /@keyframes film/);
  assert.doesNotMatch(film, /<script/);
  await tab.click("summary.more");
  await tab.click("text=A part, or a film…");
  await tab.fill("dialog [name=from]", "soon");
  await tab.click("dialog button.strong");
  await tab.waitForFunction(() =>
    /neither an entry nor a time/.test(document.querySelector("dialog .bad").textContent),
  );
});
