// node .ci/conformance.mjs PTYREC CONFORMANCE: runs the scenarios of @modelcontextprotocol/conformance that need
// no fixtures against `ptyrec serve --mcp`. CONFORMANCE is the suite's dist/index.js. Needs Node 22.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";

const [ptyrec, suite] = process.argv.slice(2);
const scenarios = [
  ...["server-initialize", "server-session-lifecycle", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"].map((s) => [s, "2025-11-25"]),
  ...["tools-list", "resources-list", "prompts-list", "dns-rebinding-protection", "sep-2164-resource-not-found", "caching", "http-header-validation"].map((s) => [s, "2026-07-28"]),
];

const dir = mkdtempSync(path.join(os.tmpdir(), "ptyrec-conformance-"));
mkdirSync(path.join(dir, "run"), { mode: 0o700 });
const env = { ...process.env, HOME: dir, XDG_RUNTIME_DIR: path.join(dir, "run"), XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir, XDG_STATE_HOME: dir, PTYREC_DB: path.join(dir, "p.db"), PTYREC_SESSION: "" };
spawnSync(ptyrec, ["run", "--", "echo", "hello"], { env });
const server = spawn(ptyrec, ["serve", "--mcp", "--listen", "127.0.0.1:0"], { env });
const said = await new Promise((done, failed) => {
  let all = "";
  const hear = (data) => /https?:\/\/[^\s#]+#token=\S+/.test(all += data) && done(/https?:\/\/[^\s#]+#token=\S+/.exec(all)[0]);
  server.stdout.on("data", hear);
  server.stderr.on("data", hear);
  server.once("exit", (code) => failed(new Error(`serve ended with ${code}: ${all}`)));
});
const url = new URL(said);

// The suite knows no token: a proxy shows it for it.
const proxy = http.createServer((req, res) => {
  const own = `${proxy.address().port}`;
  const change = (text) => text?.replace(new RegExp(`^((?:http://)?(?:localhost|127\\.0\\.0\\.1)):${own}$`), `$1:${url.port}`);
  const headers = { ...req.headers, authorization: `Bearer ${url.hash.slice("#token=".length)}`, host: change(req.headers.host) };
  if (headers.origin) headers.origin = change(headers.origin);
  const on = http.request({ host: url.hostname, port: url.port, path: req.url, method: req.method, headers }, (answer) => {
    res.writeHead(answer.statusCode, answer.headers);
    answer.pipe(res);
  });
  on.on("error", () => res.destroy());
  req.pipe(on);
});
await new Promise((done) => proxy.listen(0, "127.0.0.1", done));

let failed = 0;
for (const [scenario, version] of scenarios) {
  const child = spawn(process.execPath, [suite, "server", "--url", `http://127.0.0.1:${proxy.address().port}/mcp`, "--scenario", scenario, "--spec-version", version, "--timeout", "120000"], { cwd: dir });
  let out = "";
  child.stdout.on("data", (data) => (out += data));
  child.stderr.on("data", (data) => (out += data));
  const code = await new Promise((done) => child.once("exit", done));
  const ok = code === 0 && / 0 failed/.test(out);
  if (!ok) failed++;
  console.log(`${ok ? "ok    " : "FAILED"} ${version} ${scenario}`);
  if (!ok) console.log(out);
}
proxy.close();
server.removeAllListeners("exit");
server.kill("SIGTERM");
await new Promise((done) => server.once("exit", done));
rmSync(dir, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
