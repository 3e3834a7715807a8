// Records one scenario: a real agent in a real terminal against the scripted model server. Start it through ./record.
//   record --agent claude --version 2.1.197 --kind markdown --seed 7 [--cols 100 --rows 30] --out DIR
//   record --scenario FILE.json --out DIR
// --wrap 'ptyrec run --' (or the scenario's wrap) starts the agent, or the shell, through another program; --logs keeps
// the agent's own logs.
// Writes NAME.cast (asciicast v2 with "o" and "r" events) and NAME.truth.json.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { execFileSync } from "node:child_process";
import { serve } from "./mock.mjs";
import { Term } from "./term.mjs";
import { clearCommand, install, setup, ARGS, CACHE, LOGS, UI, VERSIONS } from "./agents.mjs";
import { make } from "./scenarios.mjs";
import { truth } from "./truth.mjs";

const { values: o } = parseArgs({
  options: {
    scenario: { type: "string" },
    agent: { type: "string" },
    version: { type: "string" },
    kind: { type: "string" },
    seed: { type: "string", default: "1" },
    cols: { type: "string" },
    rows: { type: "string" },
    out: { type: "string", default: "." },
    cache: { type: "string", default: CACHE },
    wrap: { type: "string" },
    logs: { type: "boolean" },
    show: { type: "boolean" },
    verbose: { type: "boolean" },
  },
});
const here = process.env.LAB_CWD ?? process.cwd();
o.out = path.resolve(here, o.out);
if (o.scenario) o.scenario = path.resolve(here, o.scenario);
const sleep = ms => new Promise(r => setTimeout(r, ms));
if (!o.scenario && !o.kind) {
  console.error("usage: record --agent A --version V --kind K --seed N --out DIR, or --scenario FILE");
  process.exit(2);
}
const sc = o.scenario ? JSON.parse(fs.readFileSync(o.scenario)) : make(o.kind, Number(o.seed), o.agent);
if (o.cols) sc.cols = Number(o.cols);
if (o.rows) sc.rows = Number(o.rows);
sc.agent ??= o.agent;
sc.version ??= o.version ?? VERSIONS[sc.agent];
sc.cwd = "/home/dev/shop";
const name = sc.name ?? `${sc.agent}-${sc.version}-${o.kind}-${o.seed}`;
const home = "/home/dev";
const { port, script } = await serve(sc, { verbose: o.verbose });
const { env: ownEnv, args: ownArgs, home: ownHome } = sc;
Object.assign(sc, JSON.parse(JSON.stringify({ env: ownEnv, args: ownArgs, home: ownHome }).replaceAll("__PORT__", port)));
const wrap = (o.wrap ?? sc.wrap)?.split(" ") ?? [];
const env = {
  ...setup(home, sc.cwd, port, sc),
  ...(sc.agent === "qwen" ? { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_MODEL: "mock-coder" } : {}),
  ...(sc.env ?? {}),
};
for (const [f, text] of Object.entries(sc.home ?? {})) {
  fs.mkdirSync(path.dirname(`${home}/${f}`), { recursive: true });
  fs.writeFileSync(`${home}/${f}`, text);
}
for (const [f, text] of Object.entries(sc.files ?? {})) {
  fs.mkdirSync(path.dirname(`${sc.cwd}/${f}`), { recursive: true });
  fs.writeFileSync(`${sc.cwd}/${f}`, text);
}

for (const command of sc.onstart ?? []) execFileSync("sh", ["-c", command], { cwd: sc.cwd, env });

/** What agents show while they work. */
const BUSY = /esc (to )?(cancel|interrupt)/i;
const agents = [...new Set([sc.agent, ...sc.turns.filter(t => t.start).map(t => t.start)])].filter(a => UI[a]);
const bins = Object.fromEntries(agents.map(a => [a, install(a, a === sc.agent ? sc.version : VERSIONS[a], o.cache)]));
let agent = sc.shell ? null : sc.agent,
  t;
if (sc.shell) {
  fs.mkdirSync(`${home}/bin`, { recursive: true });
  for (const [a, b] of Object.entries(bins))
    fs.writeFileSync(
      `${home}/bin/${a}`,
      `#!/bin/sh\nexec ${b} ${[...ARGS[a](sc), ...(sc.args?.[a] ?? [])].join(" ")} "$@"\n`,
      { mode: 0o755 },
    );
  fs.writeFileSync(
    `${home}/.bashrc`,
    `${sc.bashrc ?? "PS1='\\u@box:\\w\\$ '"}\nPATH=${home}/bin:$PATH\nbind 'set enable-bracketed-paste off' 2>/dev/null\n`,
  );
  t = new Term({
    cols: sc.cols,
    rows: sc.rows,
    ...((c, ...a) => ({ cmd: c, args: a }))(...wrap, "bash", "-i"),
    env: { ...env, USER: "dev" },
    cwd: sc.cwd,
  });
  await t.idle(500, 5000);
} else {
  const [cmd, ...args] = [...wrap, bins[agent], ...ARGS[agent](sc), ...(sc.args?.[agent] ?? [])];
  t = new Term({ cols: sc.cols, rows: sc.rows, cmd, args, env, cwd: sc.cwd });
}
async function ready(a) {
  // the agent shows its prompt and has gone quiet; odd start-up questions get Enter
  const end = Date.now() + 240000;
  let asked = 0;
  while (Date.now() < end && !t.exited) {
    await t.idle(700, 20000);
    const s = t.screen().join("\n");
    if (
      asked < 4 &&
      /trust this folder|Do you trust|Press enter to continue|Yes, I trust|Yes, continue|Try new model|Update available!/i.test(
        s,
      )
    ) {
      asked++;
      t.input("\r");
      continue;
    }
    if (asked < 4 && /Make auto mode your default/.test(s)) {
      asked++;
      t.input("\x1b");
      await sleep(500);
      continue;
    } // since 2.1.330, now and then
    if (UI[a].ready.test(s) && !/Initializing\.\.\./.test(s)) {
      await t.idle(1500, 20000);
      return;
    }
    await sleep(200);
  }
  console.error(`${name}: ${a} did not get ready`);
}
async function enter(text, turn) {
  const before = times(text);
  if (/Make auto mode your default/.test(t.screen().join("\n"))) {
    t.input("\x1b");
    await sleep(800);
  }
  if (turn?.keys)
    for (const k of turn.keys) {
      t.input(k);
      await sleep(60);
    }
  else if (turn?.paste) {
    t.input(`\x1b[200~${text}\x1b[201~`);
    await sleep(900);
  } else
    for (const [i, line] of text.split("\n").entries()) {
      if (i) await t.type(NEWLINE[agent] ?? ["\\\r"]);
      const perKey = turn?.perKey ?? (["codex", "qwen", "copilot"].includes(agent) ? 35 : 8),
        [, head, mark] = /^(.*?)(\??)$/.exec(line),
        had = times(head);
      await t.type(head, perKey);
      if (mark) await taken(head, had); // else it may be the key that opens the help
      await t.type(mark, perKey);
    }
  await taken(text, before);
  t.input("\r");
}
/** What begins a new line of a prompt, if not a backslash and Enter in one. */
const NEWLINE = { claude: ["\\", "\r"], codex: ["\x0a"], copilot: ["\x0a"] };
/** How often the end of a text is on the screen. */
const times = text => squeezed(t.screen().join("")).split(squeezed(text.split("\n").at(-1)).slice(-6)).length - 1;
const squeezed = s => s.replace(/[\s│┃█]+/g, "");
/** Waits until the end of what was typed is on the screen once more than before: on a busy machine an agent lags behind. */
async function typed(text, before) {
  const until = Date.now() + (before ? 3000 : 10000); // what scrolls takes others away
  while (Date.now() < until && !t.exited && times(text) <= before) await sleep(50);
}
/** Waits until the agent has taken what was typed: one on a busy machine draws all of it, and sends what it knew a moment before. */
async function taken(text, before) {
  await typed(text, before);
  await t.idle(400, 3000);
}
/** Waits until the shell asks for a command again: an agent may need seconds to end. */
async function gone() {
  const until = Date.now() + 20000,
    prompt = new RegExp(sc.promptRe ?? "@box:\\S*\\$\\s*$");
  while (Date.now() < until && !t.exited && !prompt.test(t.screen().join("\n").trimEnd())) await sleep(100);
}
async function quiet() {
  await t.idle(sc.quietMs ?? 1300, 20000);
  if (agent && (await t.waitGone(BUSY, 30000))) await t.idle(500, 5000);
}

/** Strings are typed key by key, numbers waited, {raw} written at once, {idle: ms}, {until: REGEXP}, {resize: [c, r]}, {streaming: ms}: so long after a reply began, {served: n}. */
async function acts(list) {
  for (const a of list) {
    if (t.exited) return;
    if (typeof a === "number") await sleep(a);
    else if (typeof a === "string") {
      if (a.length > 1 && a[0] !== "\x1b") await t.type(a, agent === "codex" ? 35 : 12);
      else {
        t.input(a);
        await sleep(60);
      }
    } else if (a.raw) {
      const mouse = a.raw.startsWith("\x1b[<");
      if (!mouse || t.xt.modes.mouseTrackingMode !== "none") t.input(a.raw); // else the terminal scrolls
      await sleep(60);
    } else if (a.idle) await t.idle(a.idle, 20000);
    else if (a.until) {
      if (!(await t.waitFor(new RegExp(a.until, "m"), a.max ?? 15000))) console.error(`${name}: never saw ${a.until}`);
      await sleep(150);
    } else if (a.resize) {
      t.resize(...a.resize);
      await sleep(a.ms ?? 100);
    } else if (a.streaming) {
      const end = Date.now() + 15000;
      while (!script.streaming && Date.now() < end) await sleep(20);
      await sleep(a.streaming);
    } else if (a.served) {
      const end = Date.now() + (a.max ?? 60000),
        b = a.from ?? script.served;
      while (script.served < b + a.served && Date.now() < end && !t.exited) await sleep(30);
    } else if (a.show) console.error(t.screen().filter(Boolean).join("\n"));
  }
}
let unanswered = false; // the reply to a prompt was never fetched
if (agent) await ready(agent);
for (const turn of sc.turns) {
  if (t.exited) break;
  if (turn.start) {
    await t.type(turn.line ?? turn.start, 20);
    t.input("\r");
    agent = turn.start;
    await ready(agent);
  } else if (turn.shell) {
    await t.type(turn.shell, 20);
    t.input("\r");
    await t.idle(600, 8000);
  } else if (turn.resize) {
    t.resize(...turn.resize);
    await quiet();
  } else if (turn.clear) {
    await enter(clearCommand(agent, agent === sc.agent ? sc.version : VERSIONS[agent]));
    await quiet();
    script.forget(sc.turns.slice(0, sc.turns.indexOf(turn)).filter(t => t.prompt && t.reply).length);
  } else if (turn.command) {
    await enter(turn.command);
    await quiet();
    if (turn.then) await acts(turn.then);
    if (turn.escape) {
      t.input("\x1b");
      await quiet();
    }
  } else if (turn.exit) {
    await enter(UI[agent].exit);
    await t.idle(1500, 8000);
    if (sc.shell) await gone();
    agent = null;
  } else if (turn.key) {
    t.input(turn.key);
    await quiet();
  } else if (turn.acts) {
    await acts(turn.acts);
    if (!turn.fast) await quiet();
  } else if (turn.served !== undefined) {
    const end = Date.now() + 60000;
    while (script.served < turn.served && Date.now() < end && !t.exited) await sleep(50);
    await quiet();
  } else if (turn.prompt) {
    const before = script.served;
    script.streaming = 0;
    await enter(turn.prompt, turn);
    if (turn.interruptMs) {
      while (!script.streaming && !t.exited) await sleep(20);
      await sleep(turn.interruptMs);
      for (const key of [UI[agent].interrupt].flat()) {
        t.input(key);
        await sleep(300);
      }
      await quiet();
      if (UI[agent].wipe) t.input(UI[agent].wipe); // the prompt is in the input box again
    } else {
      const end = Date.now() + (turn.maxMs ?? 60000);
      let resized = false,
        asked = Date.now(),
        again = 0;
      if (turn.during) {
        while (!script.streaming && Date.now() < end) await sleep(20);
        await acts(turn.during);
      }
      for (const q of turn.queue ?? []) {
        await sleep(q.afterMs ?? 300);
        const before = times(q.prompt);
        await t.type(q.prompt, agent === "codex" ? 35 : 8);
        await typed(q.prompt, before);
        await sleep(500);
        t.input(q.send ?? "\r");
      }
      const want = before + 1 + (turn.queue ?? []).filter(q => q.reply).length - (turn.merged ?? 0);
      while (
        script.served < want &&
        Date.now() < end &&
        !t.exited &&
        !(turn.until && new RegExp(turn.until, "m").test(t.screen().join("\n")))
      ) {
        if (
          !script.streaming &&
          !turn.fail &&
          !BUSY.test(t.screen().join("\n")) &&
          again < 3 &&
          Date.now() - asked > 4000
        ) {
          again++;
          asked = Date.now();
          console.error(`${name}: Enter again`);
          t.input("\r");
        }
        if (turn.approve && UI[agent].ask.test(t.screen().join("\n")) && Date.now() - t.lastOut > 300) {
          await sleep(300);
          t.input("\r");
          await sleep(600);
        }
        if (turn.resizeDuring && script.streaming && !resized && Date.now() - script.streaming > 500) {
          resized = true;
          t.resize(...turn.resizeDuring);
        }
        await sleep(50);
      }
      const lost = script.served === before;
      unanswered ||= lost && turn.reply?.length > 0 && !turn.fail && !turn.until;
      if (lost)
        console.error(`${name}: the reply to ${JSON.stringify(turn.prompt.slice(0, 40))} was not fetched`);
      await quiet();
    }
  }
}
if (o.show) console.log(t.all().join("\n"));
if (agent && !sc.keepOpen) {
  await enter(UI[agent].exit);
  await t.idle(1500, 8000);
}
if (!t.exited) {
  t.input(sc.shell ? "exit\r" : "\x03");
  await t.idle(500, 3000);
}
if (!t.exited) {
  t.input("\x03");
  await t.idle(800, 3000);
}
const exit = t.exited?.exitCode ?? null;
if (!t.exited) t.p.kill("SIGKILL");

fs.mkdirSync(o.out, { recursive: true });
const header = {
  version: 2,
  width: sc.cols,
  height: sc.rows,
  timestamp: 1763600000,
  command: sc.shell ? "bash" : sc.agent,
  env: { TERM: env.TERM, SHELL: "/bin/bash" },
};
const ev = t.events.filter(e => e[1] !== "i").map(([s, c, d]) => [Number(s.toFixed(4)), c, d]);
fs.writeFileSync(
  `${o.out}/${name}.cast`,
  JSON.stringify(header) + "\n" + ev.map(e => JSON.stringify(e)).join("\n") + "\n",
);
const tr = truth(sc, exit);
const served = script.served,
  wanted =
    sc.wanted ??
    sc.turns.filter(x => x.prompt && !x.interruptMs && !x.until).length +
      sc.turns.flatMap(x => x.queue ?? []).filter(q => q.reply).length;
tr.complete = served >= wanted && !unanswered;
fs.writeFileSync(`${o.out}/${name}.truth.json`, JSON.stringify(tr, null, 1) + "\n");
if (o.verbose) fs.writeFileSync(`${o.out}/${name}.requests.json`, JSON.stringify(script.log));
if (o.logs)
  for (const dir of LOGS[sc.agent] ?? [])
    if (fs.existsSync(`${home}/${dir}`))
      fs.cpSync(`${home}/${dir}`, `${o.out}/${name}.logs/${dir}`, { recursive: true });
try {
  execFileSync("node", ["visible.mjs", o.out, name], { stdio: ["ignore", "inherit", "inherit"] });
} catch {}
console.log(`${name}: ${ev.length} events, served ${served}/${wanted}, exit ${exit}`);
process.exit(0);
