// The real program: a database of its own, a server of it, and a line to the server that can be cut.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** start builds the program and serves an empty database. */
export async function start() {
  const dir = mkdtempSync(path.join(os.tmpdir(), "ptyrec-page-"));
  const bin = process.env.PTYREC ?? path.join(dir, "bin", "ptyrec");
  if (!process.env.PTYREC) execFileSync("go", ["build", "-o", bin, "./cmd/ptyrec"], { cwd: root, stdio: "inherit" });
  mkdirSync(path.join(dir, "run"), { mode: 0o700 });
  const env = { ...process.env, HOME: dir, XDG_RUNTIME_DIR: path.join(dir, "run"), XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir, XDG_STATE_HOME: dir, PTYREC_DB: path.join(dir, "p.db"), PTYREC_SESSION: "", PS1: "$ ", TERM: "xterm-256color", ENV: "" };
  const run = (...args) => execFileSync(bin, args, { cwd: root, env, encoding: "utf8" });
  const children = [];
  const child = (...args) => {
    const c = spawn(bin, args, { cwd: root, env });
    children.push(c);
    return c;
  };
  const server = child("serve", "--listen", "127.0.0.1:0");
  const address = await said(server, /https?:\/\/[^\s#]+#token=\S+/);
  const url = new URL(address);
  const token = url.hash.slice("#token=".length);
  return {
    run, child, url, token, env,
    import: (fixture) => run("import", path.join(root, "testdata/transcripts", fixture, "session.cast.gz")),
    /** detach runs a command in a session without a terminal, and returns its id. */
    detach: (...command) => run("run", "--detach", "--", ...command).trim(),
    script(name, text) {
      writeFileSync(path.join(dir, name), text, { mode: 0o700 });
      return path.join(dir, name);
    },
    /** stop ends everything, also sessions that would outlive the server. */
    async stop() {
      for (const { id } of JSON.parse(run("list", "--live", "--json")))
        await fetch(new URL(`/api/sessions/${id}/kill`, url), { method: "POST", headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: '{"signal": "KILL"}' });
      while (run("list", "--live", "--json").trim() !== "[]") await new Promise((again) => setTimeout(again, 50));
      for (const c of children) {
        c.kill("SIGTERM");
        if (c.exitCode === null && c.signalCode === null) await new Promise((done) => c.once("exit", done));
      }
      rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }); // a host may still close its files
    },
  };
}

/** said waits until a child says something, on stdout or stderr. */
export function said(child, what) {
  return new Promise((resolve, reject) => {
    let all = "";
    const hear = (data) => {
      all += data;
      const found = what.exec(all);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", (code) => reject(new Error(`ended with ${code} after: ${all}`)));
  });
}

/** line passes connections on to a port until it is cut; while it is down it takes none. */
export async function line(port) {
  const open = new Set();
  let down = false;
  const server = net.createServer((near) => {
    if (down) return near.destroy();
    const far = net.connect(port, "127.0.0.1");
    for (const [a, b] of [[near, far], [far, near]]) {
      open.add(a);
      a.pipe(b);
      a.on("error", () => {});
      a.on("close", () => {
        open.delete(a);
        b.destroy();
      });
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const cut = () => {
    for (const s of open) s.destroy();
  };
  return {
    port: server.address().port,
    down() {
      down = true;
      cut();
    },
    up: () => (down = false),
    close() {
      cut();
      server.close();
    },
  };
}
