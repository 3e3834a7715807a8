// build.mjs [DIR]: makes the page's files from src into DIR (dist), the same bytes each time. `make web` runs it.
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2] ?? path.join(here, "dist"));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const made = await build({
  absWorkingDir: here, entryPoints: { app: "src/main.ts", xterm: "src/xterm.ts" }, external: ["*/xterm.js"], outdir: out, bundle: true, minify: true, format: "esm", target: ["chrome115", "firefox115", "safari16.4"],
  legalComments: "none", metafile: true, logLevel: "warning",
});
for (const name of ["index.html", "favicon.svg"]) cpSync(path.join(here, "src", name), path.join(out, name));
writeFileSync(path.join(out, "LICENSES.txt"), licenses(Object.keys(made.metafile.inputs)));
for (const [file, { bytes }] of Object.entries(made.metafile.outputs)) console.log(`${path.basename(file)} ${Math.round(bytes / 1024)} KiB`);

// licenses returns the licenses of all packages that went into the page.
function licenses(inputs) {
  const packages = new Set(inputs.map((i) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(i)?.[1]).filter(Boolean));
  return [...packages].sort().map((name) => {
    const dir = path.join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(path.join(dir, "package.json"), "utf8"));
    const file = readdirSync(dir).find((f) => /^licen[sc]e/i.test(f));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(path.join(dir, file), "utf8").trim() : ""}\n`;
  }).join(`\n${"-".repeat(80)}\n\n`);
}
