// What changed from one version of an agent to the next, in Markdown.
import { FIGURES, mean } from "./score.mjs";

/** A figure that falls by less than this is no news. */
export const SLACK = 0.0005;

const show = v => (v === null ? "–" : v.toFixed(3));

/** The figures by kind, and of all: [{kind, runs, now: {exact: 0.99, …}, before: {…}}]. A figure that nothing has is null. */
export function byKind(now, before) {
  const kinds = [...new Set([...now, ...before].map(r => r.kind))].sort();
  const of = (rs, kind) => rs.filter(r => kind === "all" || r.kind === kind);
  return [...kinds, "all"].map(kind => ({
    kind,
    runs: of(now, kind).length,
    now: Object.fromEntries(FIGURES.map(f => [f, mean(of(now, kind), f)])),
    before: Object.fromEntries(FIGURES.map(f => [f, mean(of(before, kind), f)])),
  }));
}

/** The figures that fell: [{kind, figure, now, before}]. */
export function fallen(rows) {
  return rows.flatMap(r =>
    FIGURES.filter(f => r.now[f] !== null && r.before[f] !== null && r.now[f] < r.before[f] - SLACK).map(f => ({
      kind: r.kind,
      figure: f,
      now: r.now[f],
      before: r.before[f],
    })),
  );
}

/**
 * The report. frames has for each recording's name the frames of its notes, by the note's index; failed are the names of
 * recordings that went wrong.
 */
export function report({ agent, version, previous, now, before, frames, failed = [] }) {
  const rows = byKind(now, before),
    down = fallen(rows),
    out = [`# ${agent} ${version}, compared with ${previous}`, ""];
  out.push(
    down.length
      ? `**${down.length} figures fell**: ${down.map(d => `${d.kind} ${d.figure} ${show(d.before)} → ${show(d.now)}`).join(", ")}.`
      : "No figure fell.",
    "",
  );
  if (failed.length) out.push(`Recordings that went wrong, and are left out: ${failed.join(", ")}.`, "");
  out.push(`| kind | runs | ${FIGURES.join(" | ")} |`, `| --- | ---: |${FIGURES.map(() => " ---: |").join("")}`);
  for (const r of rows) {
    const cells = FIGURES.map(f => {
      const moved = r.now[f] !== null && r.before[f] !== null && Math.abs(r.now[f] - r.before[f]) > SLACK;
      return moved ? `**${show(r.now[f])}** (${show(r.before[f])})` : show(r.now[f]);
    });
    out.push(`| ${r.kind} | ${r.runs} | ${cells.join(" | ")} |`);
  }
  out.push("", "A figure that moved is bold, with that of the version before behind it.", "", "## Differences", "");
  const wrong = now.filter(r => r.notes.length);
  if (!wrong.length) out.push("None.", "");
  for (const r of wrong) {
    out.push(`### ${r.name}`, "");
    r.notes.forEach((note, i) => {
      out.push(`- ${note}`);
      const frame = frames?.get(r.name)?.get(i);
      if (frame) out.push("", `  At ${frame.at.toFixed(2)} s:`, "", ...fenced(frame.text).map(l => "  " + l), "");
    });
    out.push("");
  }
  return out.join("\n");
}

/** A text in a fence that is longer than any in it. */
function fenced(text) {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(m => m[0].length)),
    fence = "`".repeat(longest + 1);
  return [fence + "text", ...text.split("\n"), fence];
}
