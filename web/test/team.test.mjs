// The page of a team's server: owners, spaces and links. Needs PostgreSQL.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { launch, leftOpen, open as openIn, skip as noBrowser } from "./browser.mjs";
import { noPostgres, postgres } from "./postgres.mjs";
import { said, start } from "./program.mjs";

const skip = noBrowser || noPostgres;
let program, browser, db, url, ann, bob, id;

before(async () => {
  if (skip) return;
  db = await postgres();
  program = await start();
  browser = await launch();
  const team = (...args) => program.run("--db", db.dsn, "team", ...args).trim();
  const server = program.child("--db", db.dsn, "team", "serve", "--listen", "127.0.0.1:0", "--public-links");
  url = new URL(await said(server, /https?:\/\/[\d.:]+/));
  for (const user of ["ann", "bob"]) team("user", "add", user);
  team("space", "add", "shop");
  team("space", "member", "shop", "ann");
  [ann, bob] = ["ann", "bob"].map((user) => team("token", "add", "--user", user));
  Object.assign(program.env, { PTYREC_TEAM_SERVER: url.origin, PTYREC_TEAM_TOKEN: ann, PTYREC_TEAM_SPACE: "shop" });
  program.import("claude/2.1.329-markdown");
  id = JSON.parse(program.run("list", "--json"))[0].id;
});
afterEach(leftOpen);
after(async () => {
  await browser?.close();
  await program?.stop();
  await db?.stop();
});

const open = (view, address, token) => openIn(browser, view, token ? `${address}#token=${token}` : address);
const at = (p) => new URL(p, url.origin).href;
const share = (...args) => program.run("share", id, ...args).trim();

test("a link opens one session for those who sign in", { skip }, async () => {
  const link = share();
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/l\/[a-z2-7]{26}$/);
  for (const view of ["light", "phone"]) {
    const { tab, shot, close } = await open(view, link);
    await tab.waitForSelector("text=This link opens for people who have a token");
    await tab.fill("input[name=token]", bob);
    await tab.click("form button");
    await tab.waitForSelector("article.user");
    if (view === "light") await tab.waitForFunction(() => document.querySelectorAll(".xterm-rows > div").length > 5 && document.querySelector(".xterm-rows").textContent.trim().length > 50);
    await shot("link");
    assert.match(await tab.innerText(".heading"), /ann in shop/);
    for (const none of ["a.back", "[aria-label=Share]", "text=Name, tags, note, delete…"]) assert.equal(await tab.locator(none).count(), 0, none);
    const asked = [];
    tab.on("request", (r) => asked.push(new URL(r.url()).pathname));
    await tab.reload();
    await tab.waitForSelector("article.user");
    assert.deepEqual(asked.filter((p) => p.startsWith("/api/") && !p.startsWith("/api/links/")), [], "the page asks for more than the session");
    assert.equal(await tab.evaluate(() => document.referrer), "");
    await tab.goto(at("/"));
    await tab.waitForSelector("text=No sessions");
    await close(); // the console has the refusal
  }
});

test("the owner makes links on the page, and revokes them", { skip }, async () => {
  share();
  const { tab, shot, close } = await open("light", at("/"), ann);
  await tab.waitForSelector(".session");
  assert.match(await tab.innerText(".session .facts"), /ann in shop/);
  await tab.click(".session");
  await tab.click("[aria-label=Share]");
  await tab.check("input[name=anyone]");
  await tab.click("text=Make a link");
  const link = await tab.inputValue("input[aria-label='The link']");
  await shot("share");
  const anyone = await open("light", link);
  await anyone.tab.waitForSelector("article.user");
  await tab.click("text=Revoke all links");
  await tab.waitForSelector("text=void now");
  await anyone.tab.reload();
  await anyone.tab.waitForSelector("text=This link opens for people who have a token");
  await anyone.tab.fill("input[name=token]", bob);
  await anyone.tab.click("form button");
  await anyone.tab.waitForSelector("text=This link opens nothing");
  await anyone.close();
  await close();
  const other = await open("light", at(`/s/${id}`), bob);
  await other.tab.waitForSelector("text=No such session");
  await other.close();
});

test("a machine logs in by the page, which shows its code", { skip }, async () => {
  const machine = program.child("login", url.origin);
  const told = await said(machine, /\/m\/\S+\s+(\S+)\s/);
  const [, code] = /\/m\/(\S+)\s/.exec(told);
  assert.match(code, /^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  const ended = new Promise((done) => machine.once("exit", done));
  for (const view of ["phone", "light"]) {
    const { tab, shot, close } = await open(view, at(`/m/${code}`));
    await tab.waitForSelector("text=Who is there?");
    await tab.fill("input[name=token]", ann);
    await tab.click("form button");
    await tab.waitForSelector(".code");
    await shot("machine");
    assert.equal(await tab.innerText(".code"), code);
    assert.match(await tab.innerText("main"), /as you, ann/);
    assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "wider than the window");
    if (view === "light") {
      await tab.click("text=It shows this code: confirm");
      await tab.waitForSelector("text=is logged in as ann");
      assert.equal(await ended, 0);
      await tab.reload();
      await tab.waitForSelector("text=No machine waits");
      await tab.click("text=All sessions");
      await tab.click("text=Sign out");
      await tab.waitForSelector("text=Who is there?");
    }
    await close(); // the console has the refusals
  }
});

test("sessions of one's own database are not shared", { skip }, async () => {
  const { tab, check } = await openIn(browser, "light", `${program.url.origin}/s/${id}#token=${program.token}`);
  await tab.waitForSelector("article.user");
  assert.equal(await tab.locator("[aria-label=Share]").count(), 0);
  await check();
});

test("the page of a machine says what was sent and what is private", { skip }, async () => {
  program.import("codex/0.169.0-tools");
  program.run("sync", "--never", JSON.parse(program.run("list", "--json", "--agent", "codex"))[0].id);
  program.run("run", "--private", "--", "echo", "only here");
  const { tab, shot, check } = await open("light", new URL("/", program.url).href, program.token);
  await tab.waitForSelector(".session >> nth=2");
  const facts = await tab.$$eval(".session .facts", (all) => all.map((f) => f.textContent));
  const marks = JSON.parse(program.run("list", "--json")).map((s) => (s.sent_at ? "sent" : s.private ? "private" : ""));
  assert.deepEqual(marks.toSorted(), ["", "private", "sent"]);
  marks.forEach((mark, i) => assert.equal(/^(sent|private|)/.exec(facts[i])[0], mark, facts[i]));
  await shot("sent");
  for (const mark of ["private", "sent"]) {
    await tab.click(`.session:has(bdi:text-is("${mark}"))`);
    await tab.waitForSelector(`.heading p:text("${mark} · ")`);
    await tab.click("a.back");
  }
  await check();
});

test("a running session is followed on another server, by those who may", { skip }, async () => {
  const config = path.join(program.env.XDG_CONFIG_HOME, "ptyrec");
  mkdirSync(config, { recursive: true });
  writeFileSync(path.join(config, "config.toml"), "[team]\nlive = true\n");
  const team = (...args) => program.run("--db", db.dsn, "team", ...args);
  team("space", "member", "shop", "bob", "--reader");
  const other = new URL(await said(program.child("--db", db.dsn, "team", "serve", "--listen", "127.0.0.1:0", "--public-links"), /https?:\/\/[\d.:]+/));
  const live = program.detach("sh", "-i"), type = (text) => program.run("send", live, text, "--enter");
  const there = async () => (await fetch(new URL(`/api/sessions/${live}`, other), { headers: { Authorization: `Bearer ${bob}` } })).ok;
  program.run("grant", live);
  while (!(await there())) await new Promise((again) => setTimeout(again, 100));
  const link = new URL(new URL(program.run("share", live, "--anyone").trim()).pathname, other);
  const own = await open("light", new URL(`/s/${live}`, other).href, bob), linked = await open("light", link.href);
  for (const { tab } of [own, linked]) await tab.waitForSelector("text=the recording is not sent while it runs");
  type("echo one-$((40+2))");
  type("true"); // then the entry before is complete
  const typed = Date.now();
  for (const { tab } of [own, linked]) await tab.waitForSelector("text=one-42", { timeout: 60_000 });
  console.log(`# after ${Date.now() - typed} ms the page of another server has it`);
  await own.shot("followed");
  for (const { tab } of [own, linked]) assert.equal(await tab.locator(".xterm, .tabs, .tools .tabs").count(), 0);
  team("space", "member", "shop", "bob", "--rm");
  await own.tab.waitForSelector("text=No such session", { timeout: 60_000 });
  type("exit");
  await linked.tab.waitForSelector(".pill.ended", { timeout: 60_000 });
  await linked.check();
  await own.close(); // the console has the refusal
});

test("a session that was sent without its recording shows the conversation alone", { skip }, async () => {
  const config = path.join(program.env.XDG_CONFIG_HOME, "ptyrec");
  mkdirSync(config, { recursive: true });
  writeFileSync(path.join(config, "config.toml"), "[team]\nraw = false\n");
  program.import("gemini/0.20.2-tools");
  const [silent] = JSON.parse(program.run("list", "--json", "--agent", "gemini"));
  program.run("sync", silent.id);
  for (const view of ["light", "phone"]) {
    const { tab, shot, check } = await open(view, at(`/s/${silent.id}`), ann);
    await tab.waitForSelector("article.user");
    await shot("conversation");
    assert.match(await tab.innerText(".heading"), /no recording was sent/);
    assert.equal(await tab.locator(".xterm, .tools .tabs").count(), 0, "it has a terminal");
    await check();
  }
});
