// The page of a team's server: owners, spaces and links. Needs PostgreSQL.
import assert from "node:assert/strict";
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
  const server = program.child("--db", db.dsn, "serve", "--listen", "127.0.0.1:0", "--public-links");
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

test("sessions of one's own database are not shared", { skip }, async () => {
  const { tab, check } = await openIn(browser, "light", `${program.url.origin}/s/${id}#token=${program.token}`);
  await tab.waitForSelector("article.user");
  assert.equal(await tab.locator("[aria-label=Share]").count(), 0);
  await check();
});
