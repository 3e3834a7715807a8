// Item 3.9: long, live and hostile sessions in the page: what is in it, what is visible, what is marked. Times are reported, not asserted.
import assert from "node:assert/strict";
import path from "node:path";
import { after, afterEach, before, test } from "node:test";
import { launch, leftOpen, open as openIn, skip } from "./browser.mjs";
import { long, written } from "./long.mjs";
import { root, said, start } from "./program.mjs";

const turns = 1500; // of four entries each
const mostNodes = 3000;

let program, browser, id;

before(async () => {
  if (skip) return;
  program = await start();
  browser = await launch();
  id = stored("long.cast", long(turns));
});
afterEach(leftOpen);
after(async () => {
  await browser?.close();
  await program?.stop();
});

const open = (view, p) => openIn(browser, view, `${new URL(p, program.url.origin).href}#token=${program.token}`);
const api = async (p, init = {}) => fetch(new URL(`/api/${p}`, program.url), { ...init, headers: { Authorization: `Bearer ${program.token}`, "Content-Type": "application/json" } });
const longTasks = async (t, tab, doing) => t.diagnostic(`long tasks while ${doing}: ${JSON.stringify(await tab.evaluate(() => window.longTasks.splice(0)))} ms`);

/** stored imports a recording and returns the session's id. */
function stored(name, cast) {
  return imported(program.script(name, cast));
}

function imported(file) {
  const before = new Set(JSON.parse(program.run("list", "--json", "--limit", "1000")).map((s) => s.id));
  program.run("import", file);
  return JSON.parse(program.run("list", "--json", "--limit", "1000")).find((s) => !before.has(s.id)).id;
}

/** turnAt returns the turn that is at the top of what is visible, and how far its prompt is from there. */
const turnAt = (tab) => tab.evaluate(() => {
  const top = document.querySelector("#talk").getBoundingClientRect().top;
  const prompts = [...document.querySelectorAll("article.user")].map((a) => [a.getBoundingClientRect().top - top, Number(/turn-(\d+)/.exec(a.textContent)[1])]);
  const [below, turn] = prompts.find(([y]) => y >= 0) ?? [];
  return { turn, below: Math.round(below) };
});
const filled = (tab) => tab.waitForFunction(() => {
  const view = document.querySelector("#talk").getBoundingClientRect();
  return [0.1, 0.5, 0.9].every((y) => document.elementFromPoint(view.left + view.width / 2, view.top + y * view.height)?.closest(".row"));
});

// All 5,860 entries were put into the page: 6 s, 27,000 nodes, frames of 1.8 s.
test("3.9 only what is visible of a long session is in the page", { skip }, async (t) => {
  const { tab, nodes, visible, shot, check } = await open("light", `/s/${id}`);
  let requests = 0;
  tab.on("request", (r) => (requests += /\/entries\?/.test(r.url())));
  await visible("turn-1 ");
  await longTasks(t, tab, "opening");
  requests = 0;
  const begun = Date.now();
  await tab.keyboard.press("End");
  await visible(`turn-${turns} is done`);
  t.diagnostic(`the last message is visible after ${Date.now() - begun} ms`);
  assert.ok(requests <= 2, `${requests} requests for the last message`);
  await shot("long-end");
  await longTasks(t, tab, "jumping");
  await tab.mouse.move(200, 400);
  let most = 0;
  for (let i = 0; i < 40; i++) {
    await tab.mouse.wheel(0, i % 5 ? -900 : -20_000);
    await tab.evaluate(() => new Promise(requestAnimationFrame));
    most = Math.max(most, await nodes());
  }
  await filled(tab);
  await longTasks(t, tab, "scrolling");
  for (const part of [0.5, 0.1, 0.77]) {
    await tab.$eval("#talk", (e, p) => (e.scrollTop = p * e.scrollHeight), part);
    await filled(tab);
    const { turn } = await turnAt(tab);
    assert.ok(Math.abs(turn / turns - part) < 0.1, `at ${part} of the list there is turn ${turn}`);
    most = Math.max(most, await nodes());
  }
  t.diagnostic(`at most ${most} nodes`);
  assert.ok(most <= mostNodes);
  await tab.keyboard.press("g");
  await visible("turn-1 ");
  await check();
});

// All rows in view were drawn in one task, which took 100 ms and more where nothing was compiled yet.
test("3.9 a slow machine draws a session row by row", { skip }, async () => {
  const { tab, check } = await open("light", "/");
  await tab.waitForSelector(".session");
  await tab.addInitScript(() => {
    const now = performance.now.bind(performance);
    let late = 0; // ms: each look at the clock finds that much time has passed
    performance.now = () => now() + (late += 1000);
    window.drawn = []; // rows that came into the page in a task
    new MutationObserver((changes) => {
      const rows = changes.flatMap((c) => [...c.addedNodes]).filter((n) => n.classList?.contains("row")).length;
      if (rows) window.drawn.push(rows);
    }).observe(document, { subtree: true, childList: true });
  });
  for (const place of ["", "#2000"]) {
    await tab.goto(new URL(`/s/${id}${place}`, program.url.origin).href);
    await tab.waitForFunction(() => document.querySelectorAll(".row").length >= 8);
    await filled(tab);
    const drawn = await tab.evaluate(() => window.drawn);
    assert.ok(Math.max(...drawn) <= 2, `rows in a task: ${drawn}`);
    await tab.goto("about:blank");
  }
  await check();
});

// 377 kB of terminal were loaded and run, though a narrow window shows the conversation alone.
test("3.9 the terminal is loaded when it is shown", { skip }, async () => {
  const { tab, visible, screen, check } = await open("phone", "/");
  const scripts = [];
  tab.on("request", (r) => /\/xterm\.js|format=cast/.test(r.url()) && scripts.push(r.url()));
  await tab.waitForSelector(".session");
  await tab.goto(new URL(`/s/${id}`, program.url.origin).href);
  await visible("turn-1 ");
  await tab.click(".tabs [data-part=diff]");
  await tab.waitForSelector(".changes", { state: "visible" });
  await tab.click(".tabs [data-part=talk]");
  await visible("turn-1 ");
  await tab.evaluate(() => new Promise((done) => requestIdleCallback(() => setTimeout(done), { timeout: 2000 })));
  assert.deepEqual(scripts, []);
  await tab.click(".tabs [data-part=stage]");
  await tab.waitForFunction(() => document.querySelector(".xterm-rows")?.textContent.includes("Claude"));
  assert.match(await screen(), /Claude Code/);
  assert.equal(scripts.length, 2, `${scripts}`);
  await tab.setViewportSize({ width: 1280, height: 800 });
  await tab.waitForFunction(() => document.querySelector("#stage .xterm-rows")?.checkVisibility() && document.querySelector("#talk").checkVisibility());
  await check();
  const wide = await open("light", `/s/${id}`); // shows both
  await wide.tab.waitForFunction(() => document.querySelector("#stage .xterm-rows")?.textContent.includes("Claude"));
  await wide.check();
});

// Nothing but a spinner was there for minutes while the server read a long recording; and a link to an entry must still lead there.
test("1.2 a session that is still read says how far, and then shows all", { skip }, async () => {
  const { hits } = await (await api(`search?session=${id}&q=${encodeURIComponent('"turn-900"')}&role=assistant`)).json();
  const { seq } = hits[0].entry;
  const { tab, visible, check } = await open("light", "/");
  await tab.waitForSelector(".session");
  const read = 40; // entries, so far
  let bytes = 250;
  await tab.route(/\/entries\?/, async (route) => { // as the server answers while it reads: see openapi.yaml
    const response = await route.fetch(), body = await response.json();
    if (bytes === 1000) return route.fulfill({ response });
    const begin = await (await api(`sessions/${id}/entries?limit=${read}`)).json();
    return route.fulfill({ response, json: { entries: begin.entries, start: 0, total: begin.entries.length, reading: { bytes, of: 1000 } }, headers: { "Content-Type": "application/json" } });
  });
  await tab.goto(new URL(`/s/${id}#${seq}`, program.url.origin).href);
  await tab.waitForSelector("[role=status] >> text=still reads this recording: 25 %");
  await visible("turn-9 is done"); // what there is can be read meanwhile
  bytes = 599;
  await tab.waitForSelector("[role=status] >> text=still reads this recording: 59 %");
  bytes = 1000;
  await tab.waitForSelector(".reading", { state: "detached" });
  await visible("turn-900 is done");
  await check();
});

// A link to an entry waited until all before it were drawn. Keys, folds and what is selected must survive that rows come and go.
test("3.9 links, keys and folds work in a long session", { skip }, async () => {
  const { hits } = await (await api(`search?session=${id}&q=${encodeURIComponent('"turn-900"')}&role=assistant`)).json();
  const { seq } = hits[0].entry;
  const { tab, visible, check } = await open("light", "/");
  await tab.waitForSelector(".session");
  await tab.goto(new URL(`/s/${id}#${seq}`, program.url.origin).href);
  await visible("turn-900 is done");
  await tab.waitForFunction((s) => document.activeElement?.id === `e${s}`, seq);
  for (let i = 0; i < 100; i++) await tab.keyboard.press("k"); // 25 turns up, and beyond what was fetched
  await tab.waitForFunction(() => /turn-875 is done/.test(document.activeElement?.textContent ?? ""));
  await visible("turn-875 is done");
  await tab.keyboard.press("k");
  await tab.waitForFunction(() => /^.?Updatepkg875/.test(document.activeElement.textContent)); // it may have to be fetched
  await tab.keyboard.press("o");
  await tab.waitForFunction(() => document.activeElement.querySelector("details[open] ins"));
  const edit = await tab.evaluate(() => document.activeElement.id);
  await tab.evaluate(() => document.activeElement.blur());
  await tab.keyboard.press("End");
  await visible(`turn-${turns} is done`);
  assert.equal(await tab.$(`#${edit}`), null, "what is out of sight is still in the page");
  await tab.keyboard.press("?");
  await tab.click("dialog button");
  await tab.goto(new URL(`/s/${id}?again#${edit.slice(1)}`, program.url.origin).href);
  await tab.waitForFunction((e) => document.activeElement?.id === e, edit);
  // a selection keeps its rows
  await tab.$eval(`#${edit}`, (e) => getSelection().selectAllChildren(e));
  await tab.$eval("#talk", (e) => (e.scrollTop += 5000));
  await filled(tab);
  assert.match(await tab.evaluate(() => String(getSelection())), /Update/);
  await check();
});

// Nothing but the browser's own find, which sees only what is in the page.
test("3.9 words are found in all of a session, and marked", { skip }, async () => {
  const { tab, shot, check } = await open("light", `/s/${id}`);
  await tab.waitForSelector("article");
  await tab.keyboard.press("Control+f");
  await tab.keyboard.type("TestStep1234");
  await tab.waitForFunction(() => document.querySelector(".find output").textContent === "1 of 1");
  await tab.waitForSelector("mark.current");
  assert.equal((await tab.innerText("mark.current")).toLowerCase(), "teststep1234");
  await tab.fill(".find input", "return 7 + 0"); // in a fold, with a colour in between in the reply
  await tab.waitForFunction(() => document.querySelector(".find output").textContent === "1 of 2");
  await tab.waitForSelector("details[open] ins mark.current");
  await tab.keyboard.press("Enter");
  await tab.waitForFunction(() => document.querySelector(".find output").textContent === "2 of 2" && document.querySelector("article.assistant mark.current"));
  assert.equal(await tab.$eval("article.assistant:has(mark.current)", (a) => [...a.querySelectorAll("mark.hit")].map((m) => m.textContent).join("")), "return 7 + 0");
  await shot("find");
  await tab.keyboard.press("Shift+Enter");
  await tab.waitForSelector("details[open] ins mark.current");
  await tab.keyboard.press("Escape");
  await tab.keyboard.press("g");
  await tab.keyboard.press("/");
  await tab.keyboard.type("turn-");
  await tab.waitForFunction((n) => document.querySelector(".find output").textContent.endsWith(` of ${n}`), 2 * turns);
  await tab.keyboard.press("Shift+Enter"); // before the first comes the last
  await tab.waitForFunction((n) => document.querySelector("mark.current")?.closest("article").textContent.includes(`turn-${n} is done`), turns);
  assert.equal(new URL(tab.url()).searchParams.get("q"), "turn-");
  await tab.fill(".find input", "nowhere to be found");
  await tab.waitForSelector(".find.none");
  await tab.keyboard.press("Escape");
  assert.equal((await tab.$$("mark.hit")).length, 0);
  await check();
});

// Back and a reload began at the top.
test("3.9 Back and a reload lead to the place in a session", { skip }, async () => {
  const { tab, check } = await open("light", "/");
  await tab.click(".session");
  await tab.waitForSelector("article");
  await tab.$eval("#talk", (e) => (e.scrollTop = e.scrollHeight / 3));
  await filled(tab);
  const { turn } = await turnAt(tab);
  await tab.waitForFunction(() => history.state?.place?.seq > 1000);
  await tab.reload();
  await tab.waitForSelector("article");
  assert.equal((await turnAt(tab)).turn, turn, "after a reload");
  await tab.keyboard.press("u");
  await tab.waitForSelector(".session");
  await tab.goForward();
  await tab.waitForSelector("article");
  assert.equal((await turnAt(tab)).turn, turn, "after Back and Forward");
  await check();
});

// A live session that grows must not move what is read; at its end it shows what is new.
test("3.9 a live session that grows keeps its place", { skip }, async () => {
  for (const [i, text] of written(60).entries()) program.script(`part${i}`, text);
  const folder = path.dirname(program.script("grow.sh", 'stty -echo; cd "$1"; i=0; while [ $i -le 40 ]; do cat part$i; i=$((i+1)); done; while read go; do cat part$i; i=$((i+1)); done'));
  const live = program.detach("sh", path.join(folder, "grow.sh"), folder);
  const grow = async () => assert.equal((await api(`sessions/${live}/input`, { method: "POST", body: JSON.stringify({ text: "\r", kind: "human" }) })).status, 204);
  const { tab, visible, check } = await open("light", `/s/${live}`);
  await visible("turn-40 is done");
  await grow();
  await visible("turn-41 is done"); // it follows
  await tab.$eval("#talk", (e) => (e.scrollTop = e.scrollHeight / 2));
  await filled(tab);
  await tab.waitForSelector(".jump:visible");
  const before = await turnAt(tab);
  const total = () => tab.$eval("[aria-setsize]", (e) => Number(e.getAttribute("aria-setsize")));
  const had = await total();
  for (let i = 0; i < 3; i++) await grow();
  await tab.waitForFunction((n) => Number(document.querySelector("[aria-setsize]").getAttribute("aria-setsize")) >= n, had + 4);
  assert.deepEqual(await turnAt(tab), before, "what was read has moved");
  await tab.click(".jump");
  await visible("turn-44 is done");
  await check();
});

// While the terminal is shown on a phone, the conversation has no height: what came then lay in a heap.
test("3.9 a conversation that grows behind the terminal is whole when it is shown", { skip }, async () => {
  for (const [i, text] of written(60).entries()) program.script(`part${i}`, text);
  const folder = path.dirname(program.script("grow2.sh", 'stty -echo; cd "$1"; cat part0; i=1; while read go; do cat part$i; i=$((i+1)); done'));
  const live = program.detach("sh", path.join(folder, "grow2.sh"), folder);
  const { tab, visible, shows, check } = await open("phone", `/s/${live}`);
  await tab.click("[data-part=stage]");
  await shows("Claude Code");
  for (let i = 0; i < 8; i++) await api(`sessions/${live}/input`, { method: "POST", body: JSON.stringify({ text: "\r", kind: "human", force: true }) });
  await shows("turn-8 is done");
  await tab.click("[data-part=talk]");
  await visible("turn-8 is done");
  const gaps = await tab.$$eval(".row", (all) => all.map((r) => r.getBoundingClientRect()).map((b, i, boxes) => (i ? Math.round(b.top - boxes[i - 1].bottom) : 0)));
  assert.ok(gaps.every((g) => Math.abs(g) <= 1), `rows lie ${gaps} px apart`);
  await check();
});

// What agents write is hostile: text that turns around, characters that nobody sees, links that run or lie.
test("3.9 hostile text is shown as what it is", { skip }, async () => {
  const tags = [..."hidden order"].map((c) => String.fromCodePoint(0xe0000 + c.codePointAt(0))).join("");
  const cast = long(1).replaceAll("Please do step turn-1 of the plan", `evil \u202egnp.exe\u202c zero\u200bwidth ${tags}flag`).replaceAll("It passes, see", "javascript:alert(1) data:text/html,x FILE:///etc/hosts mailto:a@b.example see");
  const evil = stored("evil.cast", cast);
  await api(`sessions/${evil}`, { method: "PATCH", body: JSON.stringify({ name: "title \u202edesrever", note: "n\u2066ote" }) });
  const hidden = /[\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
  const { tab, visible, shot, check } = await open("dark", `/s/${evil}`);
  await visible("is done");
  await shot("hostile");
  const all = () => tab.evaluate(() => document.title + document.body.innerText + [...document.querySelectorAll("[title]")].map((e) => e.title).join(""));
  assert.doesNotMatch(await all(), hidden);
  assert.match(await tab.innerText("article.user"), /evil \{U\+202E\}gnp.exe\{U\+202C\} zero\{U\+200B\}width \{U\+E0068\}/);
  const links = await tab.$$eval("#talk article a:not(.at)", (all) => all.map((a) => [a.getAttribute("href"), a.rel, a.target]));
  assert.deepEqual(links.map(([href]) => href.split(":")[0].toLowerCase()).sort(), ["file", "https", "mailto"]);
  for (const [, rel, target] of links) assert.deepEqual([rel, target], ["noopener noreferrer nofollow", "_blank"]);
  await tab.click('[aria-label="All sessions"]');
  await tab.waitForSelector(".session");
  assert.doesNotMatch(await all(), hidden);
  await check();
});

// Code was coloured only where its language was named, which a terminal never does; edits were black on white.
test("3.9 code is coloured, edits are red and green", { skip }, async () => {
  const { tab, check } = await open("light", `/s/${id}`);
  await tab.waitForSelector("article.assistant .hljs-keyword >> text=func");
  await tab.click("article.tool summary >> text=Update >> nth=0");
  await tab.waitForSelector(".code ins");
  const colours = await tab.evaluate(() => ["ins", "del"].map((name) => getComputedStyle(document.querySelector(`.code ${name}`)).backgroundColor.match(/\d+/g).map(Number)));
  const [[r1, g1], [r2, g2]] = colours;
  assert.ok(g1 > r1 && r2 > g2, `added ${colours[0]}, removed ${colours[1]}`);
  assert.equal(await tab.innerText(".code ins"), "   2 +    return 1 + 1");
  await check();
  for (const [fixture, marked] of [["claude/2.1.329-edits", 2], ["codex/0.169.0-edits", 5], ["gemini/0.61.0-edits", 2], ["opencode/1.18.33-edits", 2], ["claude/2.1.197-tools", 0]]) {
    const one = await open("light", `/s/${imported(path.join(root, "testdata/transcripts", fixture, "session.cast.gz"))}`);
    await one.tab.waitForSelector("article");
    await one.tab.keyboard.press("o");
    await one.tab.waitForFunction(() => !document.querySelector("details.fold:not([open])"));
    const lines = await one.tab.$$eval(".code ins, .code del", (all) => all.flatMap((e) => e.textContent.split("\n").filter(Boolean)));
    assert.equal(lines.length, marked, `${fixture}: ${JSON.stringify(lines)}`);
    await one.check();
  }
});

// One message of an agent can be as large as a session.
test("3.9 a diff of thousands of lines does not fill the page", { skip }, async (t) => {
  const lines = Array.from({ length: 6000 }, (_, i) => `${i % 2 ? "+" : "-"}line ${i}`).join("\r\n");
  const mark = (m) => `\x1b]133;${m}\x07`;
  const said = [`${mark("A")}$ ${mark("B")}git diff\r\n${mark("C")}`, `@@ -1 +1 @@\r\n${lines}\r\n`, `${mark("D;0")}${mark("A")}$ `];
  const big = stored("big.cast", [JSON.stringify({ version: 2, width: 80, height: 24, timestamp: 1750000000 }), ...said.map((text, i) => JSON.stringify([i, "o", text]))].join("\n"));
  const { tab, nodes, check } = await open("light", `/s/${big}`);
  await tab.click(".shell summary");
  await tab.waitForSelector("ins");
  await longTasks(t, tab, "opening a diff");
  assert.match(await tab.$eval(".shell pre", (e) => e.textContent), /line 5999/);
  assert.ok((await nodes()) <= mostNodes, `${await nodes()} nodes`);
  await check();
});

// Buttons of 30 px could not be hit, two columns were too narrow below 1,000 px, and the terminal's scrollbar covered its last column.
test("3.9 fingers, columns and the scrollbar", { skip }, async () => {
  const live = program.detach("sh", "-c", "seq 1 500; sleep 1000");
  const small = () => [...document.querySelectorAll("button, summary, select, input, .session, .at")].filter((e) => e.checkVisibility()).map((e) => [e.outerHTML.slice(0, 80), e.closest("label") ?? e])
    .map(([html, e]) => [html, e.getBoundingClientRect()]).filter(([, b]) => b.width && (b.width < 44 || b.height < 44)).map(([html, b]) => `${html}: ${b.width} x ${b.height}`);
  for (const p of ["/", `/s/${id}`, `/s/${live}`]) {
    const { tab, check } = await open("phone", p);
    await tab.waitForSelector(p === "/" ? ".session" : "#talk");
    if (p.includes(id)) {
      await tab.click("article.tool summary >> nth=0");
      await tab.click('[aria-label="Find in this session"]');
    }
    assert.deepEqual(await tab.evaluate(small), [], p);
    if (p !== "/") {
      await tab.click("[data-part=stage]");
      await tab.waitForSelector(".xterm-rows");
      assert.deepEqual(await tab.evaluate(small), [], `${p}, terminal`);
      await tab.click(".more");
      assert.deepEqual(await tab.evaluate(small), [], `${p}, menu`);
      if (p.includes(id)) {
        await tab.click("text=Name, tags, note, delete…");
        await tab.waitForSelector("dialog");
        assert.deepEqual(await tab.evaluate(small), [], "dialog");
      }
    }
    await check();
  }
  const { tab, shows, check } = await open("narrow", `/s/${live}`);
  const both = () => tab.evaluate(() => [".talkpane", "#stage"].filter((s) => document.querySelector(s).checkVisibility()).length);
  await tab.waitForSelector("#talk");
  await tab.waitForSelector("#stage", { state: "attached" }); // it comes once the session is known to be live
  assert.equal(await both(), 1, "at 980 px");
  await tab.setViewportSize({ width: 1000, height: 700 });
  await tab.waitForFunction(() => document.querySelector("#stage").checkVisibility());
  assert.equal(await both(), 2, "at 1000 px");
  await shows("500");
  const [text, bar] = await tab.evaluate(() => [".xterm-screen", ".xterm-scrollable-element > .scrollbar.vertical"].map((s) => document.querySelector(s).getBoundingClientRect().toJSON()));
  assert.ok(bar.left >= text.right - 1, `the scrollbar begins at ${bar.left}, the text ends at ${text.right}`);
  await check();
});

// Agents had one name on the command line and another in the page.
test("3.9 agents have the name that the command line shows", { skip }, async () => {
  program.import("gemini/0.61.0-edits");
  const { tab, check } = await open("light", "/");
  await tab.waitForSelector(".chip >> text=gemini");
  const listed = JSON.parse(program.run("list", "--json", "--agent", "gemini"))[0];
  const { name, version } = listed.agents[0];
  await tab.waitForSelector(`.facts >> text=${name} ${version}`);
  await tab.click(`.session >> text=${listed.title}`);
  await tab.waitForSelector(`.who >> text=${name}`);
  await check();
});

test("14.1 a command that a program runs is followed in the page", { skip }, async () => {
  const url = new URL(await said(program.child("sandbox", "--listen", "127.0.0.1:0"), /https?:\/\/[^\s#]+#token=\S+/));
  const process = (p, method, body) => fetch(new URL(`/api/process/${p}`, url), { method, body, headers: { Authorization: `Bearer ${program.token}`, "Content-Type": "application/json" } });
  const started = await process("start", "POST", JSON.stringify({ processId: "watched", command: "echo one; echo two; sleep 1; echo three; exec sleep 1000" }));
  assert.equal(started.status, 200, await started.text());
  const { id: command } = JSON.parse(program.run("list", "--live", "--json")).find((s) => s.process === "watched");
  const { tab, visible } = await open("light", `/s/${command}`);
  await visible("three");
  await tab.waitForFunction(() => document.querySelector("#stage[data-link=open] .now .xterm-rows")?.textContent.includes("three"));
  const rows = await tab.$$eval(".now .xterm-rows > div", (all) => all.map((e) => e.textContent.trimEnd()));
  assert.deepEqual(rows.slice(0, 3), ["one", "two", "three"]);
  assert.equal((await process("watched?signal=KILL", "DELETE")).status, 200);
  await visible("exit status 137");
});
