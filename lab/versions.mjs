// Which versions of an agent there are.
import { execFileSync } from "node:child_process";
import { PACKAGES } from "./agents.mjs";

const released = v => /^\d+\.\d+\.\d+$/.test(v);

/** The order of two released versions. */
export function compare(a, b) {
  const [x, y] = [a, b].map(v => v.split(".").map(Number));
  return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
}

/** The newest released version before another one, or null. */
export function before(version, all) {
  return (
    all
      .filter(v => released(v) && compare(v, version) < 0)
      .sort(compare)
      .at(-1) ?? null
  );
}

/** What npm knows of an agent: its versions, and the one that is marked as latest. */
export function known(agent) {
  const npm = field =>
    JSON.parse(execFileSync("npm", ["view", PACKAGES[agent], field, "--json"], { encoding: "utf8" }));
  return { versions: [npm("versions")].flat(), latest: npm("dist-tags").latest };
}

if (process.argv[1] === import.meta.filename) {
  const [agent, version = "latest"] = process.argv.slice(2);
  console.log(version === "latest" ? known(agent).latest : version);
}
