// Times and names as people read them.
import type { Agent, GitState, Session, Usage } from "./api";

/** clock formats seconds as 1:05 or 2:03:04. */
export function clock(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  const two = (n: number): string => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

/** span formats seconds as 42 s, 12 min, 3.5 h. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** when formats a time as 14:05, Tue 14:05, or 3 Nov 2025. */
export function when(iso: string): string {
  const t = new Date(iso);
  const days = (Date.now() - t.getTime()) / 864e5;
  const time = t.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (t.toDateString() === new Date().toDateString()) return time;
  if (days < 6) return `${t.toLocaleDateString([], { weekday: "short" })} ${time}`;
  return t.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
}

export const full = (iso: string): string => new Date(iso).toLocaleString([], { dateStyle: "full", timeStyle: "medium" });
/** commandOf returns a session's command line; of one that a program asked for it is the text that the shell was given. */
export const commandOf = (s: Session): string => (s.process && s.command.length === 3 && s.command[1] === "-c" ? s.command[2] : undefined) ?? s.command.join(" ");
export const titleOf = (s: Session): string => s.title || s.prompt || commandOf(s);
export const agentOf = (a: Agent): string => [a.name, a.version].filter(Boolean).join(" "); // as `ptyrec list` names it
/** ownerOf says whose a team's session is, and in which space; of one of this machine, if a team's server has it or never gets it. */
export const ownerOf = (s: Session): string => (s.owner ? s.owner + (s.space ? ` in ${s.space}` : "") : s.sent_at ? "sent" : s.private ? "private" : "");
/** branchOf returns the branch that a session ended on, or is on; of a detached HEAD the commit. */
export function branchOf(s: Session): string {
  const g = s.git?.end ?? s.git?.start;
  return g?.branch ?? (g?.commit ? `(${g.commit.slice(0, 8)})` : "");
}
/** gitOf says what is known of a session's repository, as `ptyrec show` does. */
export function gitOf(s: Session): string {
  const state = (g?: GitState): string => (g ? [g.branch ?? "detached", g.commit?.slice(0, 8) ?? "without commits", g.dirty ? "dirty" : ""].filter(Boolean).join(" ") : "");
  const start = state(s.git?.start), end = state(s.git?.end), made = s.git?.commits?.length ?? 0;
  return [start, end !== start ? end : ""].filter(Boolean).join(" → ") + (made ? ` (${plural(made, "commit")})` : "");
}
export const size = (bytes: number): string => (bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`);
export const folder = (cwd: string): string => cwd.replace(/^\/(home|Users)\/[^/]+/, "~");
export const plural = (n: number, word: string): string => `${n.toLocaleString()} ${word}${n === 1 ? "" : "s"}`;

/** tokens says what was used: "12.3k tokens, $0.42". What the agent only printed, and what has no price, is a lower bound. */
export function tokens(u: Usage): string {
  const n = u.total, count = n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e4 ? `${(n / 1e3).toFixed(1)}k` : String(n);
  const least = u.from_screen > 0 ? "≥ " : "";
  const cost = u.cost === 0 && u.unpriced > 0 ? "" : `, ${least || u.unpriced > 0 ? "≥ " : ""}$${u.cost.toFixed(u.cost > 0 && u.cost < 0.01 ? 4 : 2)}`;
  return `${least}${count} tokens${cost}`;
}
