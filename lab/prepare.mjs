// Installs the agents that a run needs, while there is still a network: node prepare.mjs, with the arguments of record.mjs.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { install, CACHE, UI, VERSIONS } from "./agents.mjs";
import { make } from "./scenarios.mjs";

const { values: o } = parseArgs({
  strict: false,
  options: {
    scenario: { type: "string" },
    agent: { type: "string" },
    version: { type: "string" },
    kind: { type: "string" },
    seed: { type: "string", default: "1" },
    cache: { type: "string", default: CACHE },
  },
});
if (o.scenario || o.kind) {
  const sc = o.scenario
    ? JSON.parse(fs.readFileSync(path.resolve(process.env.LAB_CWD ?? ".", o.scenario)))
    : make(o.kind, Number(o.seed), o.agent);
  const agent = sc.agent ?? o.agent,
    version = sc.version ?? o.version ?? VERSIONS[agent];
  for (const a of new Set([agent, ...sc.turns.map(t => t.start)]))
    if (UI[a]) install(a, a === agent ? version : VERSIONS[a], o.cache);
}
