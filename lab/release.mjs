// Records every kind of conversation with one version of an agent and with the one before, reads them with ptyrec, and
// writes what changed as REPORT.md. The exit status is 1 where a figure fell, 2 where nothing could be compared.
//   node release.mjs --agent claude [--version latest] [--before 2.1.197] [--kinds basic,tools] [--seeds 1,2]
//                    [--jobs 2] [--ptyrec PROGRAM] [--out DIR]
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { execFileSync, spawn } from "node:child_process";
import { PACKAGES } from "./agents.mjs";
import { framesWith, quoted } from "./frames.mjs";
import { byKind, fallen, report } from "./report.mjs";
import { kindsOf } from "./scenarios.mjs";
import { scoreAll } from "./score.mjs";
import { before, known } from "./versions.mjs";

const { values: o } = parseArgs({
  options: {
    agent: { type: "string" },
    version: { type: "string", default: "latest" },
    before: { type: "string" },
    kinds: { type: "string" },
    seeds: { type: "string", default: "1" },
    jobs: { type: "string", default: "2" },
    ptyrec: { type: "string", default: "ptyrec" },
    out: { type: "string" },
  },
});
if (!PACKAGES[o.agent]) {
  console.error(`usage: release --agent ${Object.keys(PACKAGES).join("|")} [--version V]`);
  process.exit(2);
}
const list = known(o.agent),
  version = o.version === "latest" ? list.latest : o.version,
  previous = o.before ?? before(version, list.versions);
if (!previous) {
  console.error(`${o.agent} ${version}: there is no version before it; name one with --before`);
  process.exit(2);
}
const out = path.resolve(o.out ?? `${process.env.LAB_CACHE ?? "/var/tmp/ptyrec-lab"}/reports/${o.agent}-${version}`),
  kinds = o.kinds?.split(",") ?? kindsOf(o.agent),
  seeds = o.seeds.split(",");

/** Records all kinds with a version, those that went wrong twice, and returns the names of those that went wrong again. */
async function record(v) {
  const dir = path.join(out, v),
    todo = kinds.flatMap(kind => seeds.map(seed => ({ kind, seed }))),
    failed = [];
  fs.mkdirSync(dir, { recursive: true });
  const complete = name => {
    try {
      return JSON.parse(fs.readFileSync(path.join(dir, `${name}.truth.json`))).complete;
    } catch {
      return false;
    }
  };
  async function work() {
    for (let next; (next = todo.shift());) {
      const name = `${o.agent}-${v}-${next.kind}-${next.seed}`;
      for (let tries = 0; tries < 2 && !complete(name); tries++) await run(v, next.kind, next.seed, dir);
      if (complete(name)) continue;
      failed.push(name);
      for (const ending of [".cast", ".truth.json"]) fs.rmSync(path.join(dir, name + ending), { force: true });
    }
  }
  await Promise.all(Array.from({ length: Number(o.jobs) }, work));
  return failed;
}

function run(v, kind, seed, dir) {
  const args = ["--agent", o.agent, "--version", v, "--kind", kind, "--seed", seed, "--out", dir];
  return new Promise(done => {
    const p = spawn(path.join(import.meta.dirname, "record"), args, { stdio: ["ignore", 2, 2] });
    p.on("error", e => done(console.error(`record: ${e.message}`)));
    p.on("close", done);
  });
}

/** Reads the recordings of a version, and scores the transcripts. */
function read(v) {
  const dir = path.join(out, v),
    got = path.join(dir, "transcripts"),
    casts = fs.readdirSync(dir).filter(f => f.endsWith(".cast"));
  fs.rmSync(got, { recursive: true, force: true });
  fs.mkdirSync(got);
  if (casts.length)
    execFileSync(o.ptyrec, ["extract", ...casts.map(f => path.join(dir, f)), "-o", got], {
      stdio: ["ignore", "ignore", 2],
    });
  return scoreAll(dir, got);
}

const failed = [...(await record(previous)), ...(await record(version))],
  now = read(version),
  then = read(previous);
if (!now.length || !then.length) {
  console.error(
    `${o.agent} ${version}, ${previous}: no recording of ${now.length ? previous : version} came to its end`,
  );
  process.exit(2);
}
const frames = new Map();
for (const r of now.filter(r => r.notes.length))
  frames.set(r.name, await framesWith(path.join(out, version, `${r.name}.cast`), r.notes.map(quoted)));
const file = path.join(out, "REPORT.md");
fs.writeFileSync(file, report({ agent: o.agent, version, previous, now, before: then, frames, failed }));
const down = fallen(byKind(now, then));
console.log(file);
process.exit(down.length ? 1 : 0);
