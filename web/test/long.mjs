// A long session of an agent, as Claude Code draws it: prompts, commands, edits and replies with code.

const grey = (s) => `\x1b[38;2;153;153;153m${s}\x1b[39m`;
const green = (s) => `\x1b[38;2;78;186;101m${s}\x1b[39m`;
const rule = `\x1b[38;2;136;136;136m${"─".repeat(100)}\x1b[39m`;
const box = `\n${rule}\n❯\u00a0\x1b[7m \x1b[27m\n${rule}\n  ${grey("? for shortcuts")}`;
const unbox = "\r\x1b[4A\x1b[J";

/** long returns an asciicast of so many turns. */
export function long(turns) {
  const lines = [JSON.stringify({ version: 2, width: 100, height: 30, timestamp: 1760000000 + turns, command: "claude" })];
  for (const [i, text] of written(turns).entries()) lines.push(JSON.stringify([i * 0.2, "o", text]));
  return `${lines.join("\n")}\n`;
}

/** written returns what an agent writes to its terminal: how it starts, then each turn of four entries. Turn N says "turn-N". */
export function written(turns) {
  const start = `\x1b[?25l\x1b[?2004h\x1b]0;✳ Claude Code\x07\x1b[38;2;215;119;87m ▐▛███▜▌\x1b[39m   \x1b[1mClaude Code\x1b[22m ${grey("v2.1.197")}
\x1b[38;2;215;119;87m▝▜█████▛▘\x1b[39m  ${grey("Opus 4.8 · Demo")}
\x1b[38;2;215;119;87m  ▘▘ ▝▝\x1b[39m    ${grey("~/demo")}
${box}`;
  return [start, ...Array.from({ length: turns }, (_, i) => turn(i + 1))].map((text) => text.replaceAll("\n", "\r\n"));
}

function turn(n) {
  const said = [
    `\x1b[48;2;55;55;55m\x1b[38;2;80;80;80m❯ \x1b[38;2;255;255;255m${`Please do step turn-${n} of the plan`.padEnd(98)}\x1b[39m\x1b[49m`,
    `${green("●")} \x1b[1mBash\x1b[22m(go test ./pkg${n}/... -run TestStep${n})\n  ⎿  ok   example.com/pkg${n}  0.0${n % 10}s\n     ok   example.com/pkg${n}/sub  0.1${n % 10}s`,
    `${green("●")} \x1b[1mUpdate\x1b[22m(pkg${n}/step.go)\n  ⎿  Added \x1b[1m1\x1b[22m line, removed \x1b[1m1\x1b[22m line\n${edit(n)}`,
    `● Step \x1b[1mturn-${n}\x1b[22m is done. The function now looks so:\n\n  func step${n}() int {\n      return ${n} + ${n % 7}\n  }\n\n  It passes, see https://example.com/runs/${n} for the log.${n % 3 ? "" : "\n\n  1. The tests were slow before.\n  2. They are fast now, and the old ones still pass.\n  3. Nothing else has changed."}`,
  ];
  return said.map((text) => `${unbox}\n${text}\n${box}`).join("");
}

function edit(n) {
  const row = (no, sign, text, ground) => `      ${ground ? `\x1b[48;2;${ground}m` : ""}\x1b[38;2;248;248;242m${String(no).padStart(3)} ${sign}${text}${ground ? `${" ".repeat(Math.max(0, 80 - text.length))}\x1b[49m` : ""}\x1b[39m`;
  return [row(1, " ", `func step${n}() int {`), row(2, "-", `    return ${n}`, "61,1,0"), row(2, "+", `    return ${n} + ${n % 7}`, "2,40,0"), row(3, " ", "}")].join("\n");
}
