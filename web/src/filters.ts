// What the list is narrowed down to, and the controls for it. It is kept in the page's address.
import type { Facet, Facets, Filter } from "./api";
import { fill, h } from "./dom";
import { folder } from "./format";

const names = ["agent", "cwd", "tag", "day", "from", "to", "live"] as const;
const days: Record<string, string> = { "": "Any time", "0": "Today", "1": "Yesterday", "7": "Last 7 days", "30": "Last 30 days", "365": "Last year", dates: "Between dates…" };

/** Filters are the filters of the list. */
export class Filters {
  readonly el = h("div", { class: "chips", role: "group", "aria-label": "Only" });
  private chosen: Partial<Record<(typeof names)[number], string>> = {};
  private facets: Facets = { total: 0, agents: [], folders: [], tags: [] };

  constructor(params: URLSearchParams, private changed: () => void) {
    for (const name of names) if (params.get(name)) this.chosen[name] = params.get(name)!;
    this.draw();
  }

  /** offer takes what there is to choose from. */
  offer(facets: Facets): void {
    this.facets = facets;
    this.draw();
  }

  get any(): boolean { return Object.values(this.chosen).some(Boolean); }

  /** params returns the filters as they are kept in the address. */
  params(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.chosen).filter(([, value]) => value));
  }

  /** filter returns the filters as the server takes them. */
  filter(): Filter {
    const { agent, cwd, tag, live } = this.chosen;
    return { agent, cwd, tag, live: live === "true", ...this.dates() };
  }

  clear(): void {
    this.chosen = {};
    this.draw();
    this.changed();
  }

  // dates returns the first moment of the days that are wanted, and the first after them, where this page is read.
  private dates(): { since?: string; until?: string } {
    const { day, from, to } = this.chosen;
    const midnight = (days: number, date = new Date()): string => new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).toISOString();
    const local = (date: string | undefined, days: number): string | undefined => (date && !isNaN(Date.parse(`${date}T00:00`)) ? midnight(days, new Date(`${date}T00:00`)) : undefined);
    if (day === "dates") return { since: local(from, 0), until: local(to, 1) };
    if (!day) return {};
    return { since: midnight(-Number(day)), until: day === "1" ? midnight(0) : undefined };
  }

  private set(name: (typeof names)[number], value: string | undefined): void {
    this.chosen[name] = value;
    if (name === "day" && value !== "dates") delete this.chosen.from, delete this.chosen.to;
    this.draw();
    this.changed();
  }

  private draw(): void {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.filter;
    const chip = (text: string, name: (typeof names)[number], value: string): HTMLElement => h("button", { type: "button", class: "chip", "data-filter": `${name}=${value}`, "aria-pressed": String(this.chosen[name] === value), onclick: () => this.set(name, this.chosen[name] === value ? undefined : value) }, text);
    const agents = this.facets.agents.map((f) => f.value);
    if (this.chosen.agent && !agents.includes(this.chosen.agent)) agents.push(this.chosen.agent);
    const date = (name: "from" | "to", label: string): HTMLElement => h("input", { type: "date", class: "chip", "aria-label": label, title: label, value: this.chosen[name] ?? "", "data-filter": name, onchange: (e: Event) => this.set(name, (e.target as HTMLInputElement).value) });
    fill(this.el, chip("Live", "live", "true"), h("i", { class: "bar-line" }), ...agents.map((a) => chip(a, "agent", a)), agents.length > 0 && h("i", { class: "bar-line" }),
      this.select("cwd", "Any folder", this.facets.folders, folder), this.select("tag", "Any tag", this.facets.tags),
      this.choice("day", "Time", Object.entries(days)), ...(this.chosen.day === "dates" ? [date("from", "From"), date("to", "To")] : []),
      this.any && h("button", { type: "button", class: "chip clear", onclick: () => this.clear() }, "Clear"));
    if (focused) this.el.querySelector<HTMLElement>(`[data-filter="${CSS.escape(focused)}"]`)?.focus();
  }

  private select(name: "cwd" | "tag", all: string, facets: Facet[], text = (v: string): string => v): HTMLElement | null {
    const now = this.chosen[name];
    const values = facets.filter((f) => f.value);
    if (!values.length && !now) return null;
    if (now && !values.some((f) => f.value === now)) values.unshift({ value: now, sessions: 0 });
    return this.choice(name, all, [["", all], ...values.map((f): [string, string] => [f.value, `${text(f.value)}${f.sessions ? ` (${f.sessions})` : ""}`])]);
  }

  private choice(name: "cwd" | "tag" | "day", label: string, options: [string, string][]): HTMLElement {
    const now = this.chosen[name] ?? "";
    return h("select", { class: now ? "chip chosen" : "chip", "aria-label": label, "data-filter": name, onchange: (e: Event) => this.set(name, (e.target as HTMLSelectElement).value || undefined) },
      ...options.map(([value, text]) => h("option", { value, selected: value === now }, text)));
  }
}
