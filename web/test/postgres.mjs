// PostgreSQL for tests of a team's server: a cluster in a temporary folder, reached by a socket.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { said } from "./program.mjs";

const versions = "/usr/lib/postgresql"; // of Debian
const newest = existsSync(versions) ? readdirSync(versions).sort((a, b) => b - a)[0] : undefined;
export const noPostgres = newest ? false : `there is no PostgreSQL in ${versions}`;

/** postgres starts a cluster; dsn names its database, stop ends it. */
export async function postgres() {
  const bin = (name) => path.join(versions, newest, "bin", name);
  const dir = mkdtempSync(path.join(os.tmpdir(), "ptyrec-pg-"));
  const root = process.getuid() === 0; // which PostgreSQL does not run as
  const as = (...args) => (root ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", ...args] : args);
  if (root) execFileSync("chown", ["postgres:", dir]);
  const [initdb, ...how] = as(bin("initdb"), "-D", path.join(dir, "data"), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C");
  execFileSync(initdb, how, { cwd: "/", stdio: "ignore" });
  const [server, ...options] = as(bin("postgres"), "-D", path.join(dir, "data"), "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off");
  const child = spawn(server, options, { cwd: "/" });
  await said(child, /ready to accept connections/);
  return {
    dsn: `postgres:///postgres?host=${encodeURIComponent(dir)}&user=postgres`,
    async stop() {
      const gone = new Promise((done) => child.once("exit", done));
      child.kill("SIGQUIT");
      await gone;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
