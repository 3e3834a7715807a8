// The page in headless Chromium, against the real program: `make web-test`. Screenshots go to $SHOTS, else node_modules/.shots.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { launch, leftOpen, open as openIn, skip } from "./browser.mjs";
import { line, root, start } from "./program.mjs";

let program, browser;

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

const open = (view, address, token = program.token) => openIn(browser, view, token ? `${address}#token=${token}` : address);
const at = (p) => new URL(p, program.url.origin).href;

// Item 2.2: the token was kept where scripts could read it, for one tab, and reading needed none.
test("the token becomes a cookie", { skip }, async () => {
  const stranger = await open("light", at("/"), "");
  await stranger.tab.waitForSelector("input[name=token]");
  await stranger.tab.fill("input[name=token]", "wrong");
  await stranger.tab.click("form button");
  await stranger.tab.waitForSelector("input[name=token]");
  await stranger.close();
  const { tab, close } = await open("light", at("/"));
  await tab.waitForSelector("text=No sessions");
  assert.equal(tab.url(), at("/"), "the token stays in the address");
  assert.deepEqual(await tab.evaluate(() => [document.cookie, sessionStorage.length, localStorage.length]), ["", 0, 0], "a script can read the token");
  const second = await tab.context().newPage();
  await second.goto(at("/")); // without the token
  await second.waitForSelector("text=No sessions");
  await close();
});

test("a past session is found, read and replayed", { skip }, async () => {
  program.import("claude/2.1.329-markdown");
  program.import("codex/0.169.0-tools");
  for (const view of ["light", "dark", "phone"]) {
    const { tab, shot, screen, check } = await open(view, at("/"));
    await tab.waitForSelector(".session");
    assert.equal(new URL(tab.url()).hash, "", "the token stays in the address");
    await shot("list");
    if (view === "light") {
      await tab.click(".chip >> text=codex");
      await tab.waitForFunction(() => document.querySelectorAll(".session").length === 1);
      await tab.click(".chip >> text=codex");
      await tab.waitForFunction(() => document.querySelectorAll(".session").length === 2);
    }
    await tab.fill("input[type=search]", "checksum");
    await tab.waitForSelector(".hit mark");
    await shot("search");
    await tab.click(".hit");
    await tab.waitForSelector(view === "phone" ? "article:focus" : "article[aria-current]"); // a phone shows the terminal when it is asked for
    assert.ok((await tab.$$("mark.hit")).length > 0, "what was searched for is not marked");
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

test("a live session is watched, taken over and typed into", { skip }, async () => {
  const id = program.detach("sh", "-c", "echo ready; exec sh -i");
  const { tab, shot, shows, check } = await open("dark", at(`/s/${id}`));
  await shows("ready");
  await tab.waitForSelector("text=Read-only");
  await tab.click(".screen");
  await tab.keyboard.type("echo refused\n");
  await tab.waitForSelector("text=take control to type");
  await tab.click("text=Take control");
  await tab.waitForSelector(".screen.typing");
  await tab.keyboard.type("echo moved-$((40+2))\n");
  await shows("moved-42");
  assert.match(await text(id), /moved-42/);
  assert.doesNotMatch(await text(id), /refused/);
  await shot("control");
  await tab.waitForSelector(".size >> text=120 × 30"); // the page has not touched the session's window
  await tab.click("text=Fit window");
  await tab.waitForFunction(() => !document.querySelector(".size").textContent.startsWith("120"));
  await tab.click(".screen");
  await tab.keyboard.type("stty size\n");
  const [cols, rows] = (await tab.innerText(".size")).split(" × ");
  await shows(`${rows} ${cols}`);
  await tab.keyboard.press("Control+]");
  await tab.waitForSelector("text=Read-only");
  await tab.waitForTimeout(1500); // the clock shows whole seconds
  await tab.click("article.shell .prompt >> nth=0"); // its moment, while the session goes on
  await tab.waitForSelector("[data-shows=replay]");
  await tab.waitForFunction(() => document.querySelector(".clock").textContent !== "0:00 / 0:00");
  await tab.click("[data-tab=live]");
  await tab.waitForSelector("[data-shows=live]");
  await shows("moved-42");
  await tab.click("text=Let programs type");
  await tab.click("text=for 10 minutes");
  await tab.waitForSelector("text=Programs may type");
  await shot("granted");
  await send(id, "echo by-$((1+1))-program\r");
  await shows("by-2-program");
  await tab.click("text=Revoke");
  await tab.waitForSelector("text=Let programs type");
  assert.equal((await post(id, "input", { text: "echo late\r" })).status, 403);
  await tab.click("text=Take control");
  await tab.waitForSelector(".screen.typing");
  await tab.keyboard.type("exit 3\n");
  await tab.waitForSelector("text=Exited with status 3");
  await check();
});

test("a phone has the keys that it lacks", { skip }, async () => {
  const id = program.detach("sh", "-c", "echo ready; exec sh -i");
  const { tab, shot, shows, check } = await open("phone", at(`/s/${id}`));
  await tab.click("text=Terminal");
  await shows("ready");
  await tab.click("text=Take control");
  await tab.waitForSelector(".screen.typing");
  await tab.keyboard.type("sleep 99");
  await tab.click(".keybar >> text=⏎");
  await tab.click(".keybar >> text=ctrl");
  await tab.keyboard.type("c");
  await shows("^C");
  await tab.keyboard.type("echo x$((4+5))x");
  await tab.click(".keybar >> text=⏎");
  await shows("x9x");
  await shot("keys");
  await check();
});

test("what an agent says comes as it is said, and is never obeyed", { skip }, async () => {
  const agent = program.script("agent.sh", readFileSync(path.join(root, "testdata/demo/agent.sh"), "utf8")
    .replace("How many tests does this project have?", "<img src=x onerror=alert(1)> **how many**?")
    .replace("There are", "<script>alert(2)</script> [here](javascript:alert(3)) <b onclick=alert(4)>there</b> are"));
  const id = program.detach("env", "PAUSE=0.6", agent);
  const { tab, shot, check } = await open("phone", at(`/s/${id}`));
  await tab.waitForSelector("article.user >> text=<img src=x");
  await shot("streaming");
  await tab.waitForSelector("article.assistant >> text=there</b> are");
  await tab.waitForSelector("article.tool >> text=Bash");
  await tab.waitForSelector("text=which should I read first >> nth=0", { state: "attached" }).catch(() => {});
  assert.equal(await tab.$$eval("#talk img, #talk script, #talk b[onclick], #talk a[href^=javascript]", (e) => e.length), 0);
  await tab.waitForSelector(".pill.ended", { state: "attached" });
  await tab.click("text=Terminal");
  await shot("ended");
  await check();
});

test("a connection that breaks is taken up where it broke", { skip }, async (t) => {
  const wire = await line(Number(program.url.port));
  t.after(wire.close);
  const id = program.detach("sh", "-c", "echo begin; read go; i=0; while [ $i -lt 600 ]; do i=$((i+1)); echo n-$i-; sleep 0.001; done; echo all; sleep 100");
  const { tab, shot, shows, check } = await open("light", `http://127.0.0.1:${wire.port}/`);
  const sockets = [];
  tab.on("websocket", (w) => {
    const s = { sent: [], got: [] };
    sockets.push(s);
    w.on("framesent", ({ payload }) => s.sent.push(payload));
    w.on("framereceived", ({ payload }) => s.got.push(payload));
  });
  await tab.goto(`http://127.0.0.1:${wire.port}/s/${id}`);
  await shows("begin");
  await post(id, "input", { text: "\r", kind: "human" });
  await shows("n-9");
  wire.down();
  await tab.waitForSelector("text=Connection lost");
  await shot("lost");
  wire.up();
  await tab.waitForSelector("text=Connected again");
  await shows("all");
  await shot("back");
  const used = sockets.filter((s) => s.got.length > 0);
  assert.equal(used.length, 2);
  const [before, since] = used.map((s) => s.got.filter((f) => f[0] === 0x4f)); // outputs
  const end = Number(before.at(-1).readBigUInt64BE(5)) + before.at(-1).length - 13;
  assert.equal(JSON.parse(used[1].sent[0].subarray(5)).from, end);
  let next = end;
  for (const f of since) {
    assert.equal(Number(f.readBigUInt64BE(5)), next, "bytes twice, or left out");
    next += f.length - 13;
  }
  assert.ok(next > end);
  await check();
});

const get = (path) => fetch(at(path), { headers: { Authorization: `Bearer ${program.token}` } });
const post = (id, what, body) => fetch(at(`/api/sessions/${id}/${what}`), { method: "POST", headers: { Authorization: `Bearer ${program.token}`, "Content-Type": "application/json" }, body: JSON.stringify(body) });
const text = async (id) => (await get(`/api/sessions/${id}/screen?format=text`)).text();
const send = async (id, keys) => assert.equal((await post(id, "input", { text: keys })).status, 204);
