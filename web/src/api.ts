// The server's HTTP API, as server/openapi.yaml describes it.

export interface Agent { name: string; version?: string; model?: string }
export interface State { state: "" | "busy" | "idle" | "asking"; agent?: string; at?: string }
export interface Session {
  id: string; command: string[]; cwd?: string; title?: string; started_at: string; ended_at?: string; exit_code?: number; cols: number; rows: number; agents: Agent[];
  status: "live" | "ended" | "interrupted"; attachable: boolean; state?: State; prompt?: string; messages: number; turns: number; duration: number; tags?: string[]; note?: string;
}
export interface Tool { name: string; input: string; output: string; status: "ok" | "error" | "running" | "rejected"; truncated: boolean }
export interface Entry {
  id: string; seq: number; type: "message" | "event"; event?: string; role?: string; agent?: string; conversation: number; text?: string; markdown?: string;
  output?: string; tool?: Tool; data?: Record<string, unknown>; at: string; end_at?: string; offset: number; status?: "complete" | "partial" | "streaming";
}
export interface Hit { session: Session; entry: Entry; snippet: string; marks: [number, number][] }
export interface Info { version: string; write: boolean; read_only: boolean }
export interface Viewer { id: string; name: string; kind: "human" | "agent"; control: boolean; since: string }
export interface Control { viewers: Viewer[]; grant?: { by: string; at: string; until?: string }; reason?: string }

/** Refused is the server's error. */
export class Refused extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

/** takeToken takes a token out of the address (#token=…) and gives it to the server, which answers with a cookie. The page keeps no token. */
export async function takeToken(): Promise<void> {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(history.state, "", location.pathname);
  await login(decodeURIComponent(found[1]!));
}

/** login gets the cookie for a token. */
export async function login(token: string): Promise<void> {
  await get("login", {}, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) });
}

async function get(path: string, query: Record<string, unknown> = {}, init: RequestInit = {}): Promise<Response> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "" && value !== false) params.set(name, String(value));
  const answer = await fetch(`/api/${path}${params.size ? `?${params}` : ""}`, init);
  if (answer.ok) return answer;
  const said = (await answer.json().catch(() => ({}))) as { code?: string; message?: string };
  throw new Refused(answer.status, said.code ?? "internal", said.message ?? answer.statusText);
}

const json = async <T>(path: string, query?: Record<string, unknown>, init?: RequestInit): Promise<T> => (await get(path, query, init)).json() as Promise<T>;

export const info = (): Promise<Info> => json("info");
export const session = (id: string): Promise<Session> => json(`sessions/${encodeURIComponent(id)}`);

export interface Filter { agent?: string; live?: boolean; until?: string; limit?: number }
export const sessions = (filter: Filter, signal: AbortSignal): Promise<{ sessions: Session[]; next?: string }> => json("sessions", { ...filter }, { signal });
export const search = async (q: string, filter: Filter, signal: AbortSignal): Promise<Hit[]> => (await json<{ hits: Hit[] }>("search", { q, ...filter }, { signal })).hits;

/** entries gives the whole conversation, page by page. */
export async function* entries(id: string, signal: AbortSignal): AsyncGenerator<Entry[]> {
  for (let since: number | undefined = 0; since !== undefined; ) {
    const page: { entries: Entry[]; next?: number } = await json(`sessions/${encodeURIComponent(id)}/entries`, { since, limit: 200 }, { signal });
    yield page.entries;
    since = page.next;
  }
}

/** file gives the session in a format of `ptyrec export`. */
export const file = (id: string, format: string, signal?: AbortSignal): Promise<Response> => get(`sessions/${encodeURIComponent(id)}/export`, { format }, { signal });
