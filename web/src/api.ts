// The server's HTTP API, as internal/server/openapi.yaml describes it.
import { allPrintable } from "./hidden";

export interface Agent { name: string; version?: string; model?: string }
export interface State { state: "" | "busy" | "idle" | "asking"; agent?: string; at?: string }
export interface GitState { branch?: string; commit?: string; dirty?: boolean }
/** Usage is what a session used, in tokens; cost in US dollars. */
export interface Usage { input: number; cache_read: number; cache_write: number; output: number; reasoning: number; total: number; cost: number; unpriced: number; from_logs: number; from_screen: number }
export interface Session {
  id: string; command: string[]; cwd?: string; title?: string; started_at: string; ended_at?: string; exit_code?: number; cols: number; rows: number; agents: Agent[];
  status: "live" | "ended" | "interrupted"; attachable: boolean; state?: State; prompt?: string; name?: string; messages: number; raw_bytes: number; stored_bytes: number; turns: number; duration: number; tags?: string[]; note?: string;
  git?: { start?: GitState; end?: GitState; commits?: string[] }; // the repository in cwd
  source?: { kind: string; agent: string; id: string; path?: string }; // without a recording: from the agent's own log
  continues?: string; continued_by?: string[]; // ids of the sessions before and after, of the same conversation
  usage?: Usage; // missing if nothing is known
  owner?: string; space?: string; // of a team's session: whose it is, and whose members read it
  sent_at?: string; private?: boolean; // of a session of this machine: a team's server has it, or never gets it
  process?: string; asked?: { pty?: boolean }; // of a command that a program asked for
}
export interface Tool { name: string; input: string; output: string; status: "ok" | "error" | "running" | "rejected"; truncated: boolean }
export interface Entry {
  id: string; seq: number; type: "message" | "event"; event?: string; role?: string; agent?: string; conversation: number; text?: string; markdown?: string;
  output?: string; tool?: Tool; data?: Record<string, unknown>; at: string; end_at?: string; offset: number; status?: "complete" | "partial" | "streaming";
  truncated?: boolean; truncated_at?: "head" | "middle" | "tail"; omitted_lines?: number; exit_status?: number; cwd?: string; duration?: number; // cwd, exit_status and duration (seconds): of a shell command
}
/** Hit is a message, or without an entry a session whose name, title, note or tags match. */
export interface Hit { session: Session; entry?: Entry; snippet: string; marks: [number, number][] }
export interface Info { version: string; write: boolean; read_only: boolean; user?: string } // user: the reader's name, on a team's server
export interface Viewer { id: string; name: string; kind: "human" | "agent"; control: boolean; since: string }
export interface Control { viewers: Viewer[]; grant?: { by: string; at: string; until?: string }; reason?: string }

/** Refused is the server's error. */
export class Refused extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** Silent is a server that does not answer. */
export class Silent extends Error {
  constructor() {
    super("The server does not answer.");
  }
}

/** takeToken takes a token out of the address (#token=…) and sends it to the server, which answers with a cookie. The page keeps no token. */
export async function takeToken(): Promise<void> {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  await showToken(decodeURIComponent(found[1]!));
}

/** showToken gets the cookie for a token. */
export async function showToken(token: string): Promise<void> {
  await get("login", {}, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) });
}

/** provider returns where one signs in without a token; empty: nowhere. */
export const provider = async (): Promise<string> => (await json<{ provider: string }>("login")).provider;
export const logout = async (): Promise<void> => void (await get("login", {}, { method: "DELETE" }));

/** Login is a machine that waits to be admitted. */
export interface Login { code: string; name: string; address: string; expires_at: string }
const loginOf = (code: string): string => `logins/${encodeURIComponent(code)}`;
export const login = (code: string): Promise<Login> => json(loginOf(code));
export const admit = async (code: string): Promise<void> => void (await get(loginOf(code), {}, { method: "POST" }));
export const reject = async (code: string): Promise<void> => void (await get(loginOf(code), {}, { method: "DELETE" }));

async function get(path: string, query: Record<string, unknown> = {}, init: RequestInit = {}): Promise<Response> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "" && value !== false) params.set(name, String(value));
  const answer = await fetch(`/api/${path}${params.size ? `?${params}` : ""}`, init);
  if (answer.ok) return answer;
  const said = (await answer.json().catch(() => ({}))) as { code?: string; message?: string };
  throw new Refused(answer.status, said.code ?? "internal", said.message ?? answer.statusText);
}

const patience = 20_000; // ms for an answer

// read returns an answer's JSON; it fails with Silent where no whole answer comes.
async function read<T>(path: string, query?: Record<string, unknown>, init: RequestInit = {}): Promise<T> {
  const late = AbortSignal.timeout(patience);
  try {
    return (await (await get(path, query, { ...init, signal: init.signal ? AbortSignal.any([init.signal, late]) : late })).json()) as T;
  } catch (e) {
    throw e instanceof TypeError || (e as Error).name === "TimeoutError" ? new Silent() : e;
  }
}

const json = async <T>(path: string, query?: Record<string, unknown>, init?: RequestInit): Promise<T> => allPrintable(await read<T>(path, query, init));

let linked = ""; // the code of the link that the page was opened by

/** openBy says by which link the page was opened, if by one. Then it shows that link's session, and nothing else. */
export function openBy(code: string): void {
  linked = code;
}

/** of returns the path of a session. */
const of = (id: string): string => (linked ? `links/${encodeURIComponent(linked)}` : `sessions/${encodeURIComponent(id)}`);

/** livePath returns where a live session's frames come from, and go to. */
export const livePath = (id: string): string => `/api/${of(id)}/live`;
/** isRecorded reports whether a session can be played: one from an agent's own log cannot, nor one of a team whose recording was not sent. */
export const isRecorded = (s: Session): boolean => !s.source && (!s.owner || s.stored_bytes > 0);

export const info = (): Promise<Info> => (linked ? Promise.resolve({ version: "", write: false, read_only: true }) : json("info"));
export const session = (id: string): Promise<Session> => json(of(id));

export interface Filter { agent?: string; cwd?: string; tag?: string; since?: string; until?: string; live?: boolean; limit?: number }
export interface Facet { value: string; sessions: number }
export interface Facets { total: number; agents: Facet[]; folders: Facet[]; tags: Facet[] }
export const sessions = (filter: Filter, cursor: string | undefined, signal: AbortSignal): Promise<{ sessions: Session[]; total: number; next?: string }> => json("sessions", { ...filter, cursor }, { signal });
export const facets = (): Promise<Facets> => json("facets");
/** search returns what was found; a snippet is as it was written, because its marks count its bytes. */
export const search = async (q: string, filter: Filter, signal: AbortSignal): Promise<Hit[]> => {
  const { hits } = await read<{ hits: Hit[] }>("search", { q, ...filter }, { signal });
  return hits.map((hit) => ({ ...allPrintable(hit), snippet: hit.snippet }));
};

/** Part chooses entries by their numbers: those behind one, before one (or before the end), or around one. */
export interface Part { since?: number; before?: number | "end"; around?: number; limit?: number }
/** Reading is how far the server has read a session's recording, in bytes. */
export interface Reading { bytes: number; of: number }
/** entries returns some entries in order; start is how many come before them in the session, total how many it has; while it is being read, so far. */
export const entries = (id: string, part: Part, signal: AbortSignal): Promise<{ entries: Entry[]; total: number; start: number; reading?: Reading }> => json(`${of(id)}/entries`, { ...part }, { signal });

export interface Labels { name?: string; note?: string; add_tags?: string[]; remove_tags?: string[] }
export const label = (id: string, labels: Labels): Promise<Session> => json(`sessions/${encodeURIComponent(id)}`, {}, { method: "PATCH", headers: { "Content-Type": "application/json" }, body: JSON.stringify(labels) });
/** Link is a link that was made; path is that of its address. */
export interface Link { path: string; expires_at: string; anyone: boolean }
export const link = (id: string, seconds: number, anyone: boolean): Promise<Link> => json(`sessions/${encodeURIComponent(id)}/links`, {}, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ seconds, anyone }) });
/** revoke makes all links to a session void, and returns how many there were. */
export const revoke = async (id: string): Promise<number> => (await json<{ revoked: number }>(`sessions/${encodeURIComponent(id)}/links`, {}, { method: "DELETE" })).revoked;
/** prompt sends a prompt to a live session's agent, and comes back when the agent has taken it. */
export const prompt = async (id: string, text: string): Promise<void> => void (await get(`sessions/${encodeURIComponent(id)}/prompt`, {}, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ text, kind: "human", name: "web" }) }));
export const remove = async (id: string): Promise<void> => void (await get(`sessions/${encodeURIComponent(id)}`, {}, { method: "DELETE" }));

/** file returns the session in a format of `ptyrec export`. */
export const file = (id: string, format: string, part: { from?: string; to?: string; only?: string; animate?: boolean } = {}, signal?: AbortSignal): Promise<Response> => get(`${of(id)}/export`, { format, ...part }, { signal });
