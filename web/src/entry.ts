// An entry of the conversation, as it is drawn.
import type { Entry, Tool } from "./api";
import { codeBox, languageOf } from "./code";
import { h } from "./dom";
import { clock, full, span, when } from "./format";
import { linked } from "./links";
import { markdown } from "./markdown";

/** isShown reports whether an entry is worth a line. */
export const isShown = (e: Entry): boolean => e.type === "message" || eventText(e) !== "";

/** draw makes an entry's element; open says whether its details are. */
export function draw(e: Entry, started: number, open: boolean): HTMLElement {
  if (e.type === "event") return h("p", { class: "event" }, h("span", { title: full(e.at) }, eventText(e)));
  return h("article", { id: `e${e.seq}`, class: `${e.role ?? ""} ${e.status ?? ""}`, tabIndex: -1 }, body(e, open),
    h("a", { class: "at", href: `#${e.seq}`, title: `#${e.seq}, ${full(e.at)}` }, clock((Date.parse(e.at) - started) / 1000)));
}

/** likely returns about how high an entry will be in a list of a width, in pixels. */
export function likely(e: Entry, width: number): number {
  if (!isShown(e)) return 0;
  if (e.type === "event") return 49;
  if (e.role === "tool" || e.role === "thinking") return 33;
  const text = e.markdown || e.text || "", letters = Math.max(30, width / 7.5);
  let lines = 0;
  for (let at = 0, end = 0; end >= 0 && lines < 200; at = end + 1) {
    end = text.indexOf("\n", at);
    lines += Math.max(0.5, Math.ceil(((end < 0 ? text.length : end) - at) / letters));
  }
  return (e.role === "user" ? 74 : 46) + 24 * lines;
}

/** wordsOf returns what a reader sees of an entry, as one text. */
export function wordsOf(e: Entry): string {
  if (e.type === "event") return eventText(e);
  return e.tool ? [e.tool.name, e.tool.input, e.tool.output].join("\n") : [e.text, e.output].filter(Boolean).join("\n");
}

function body(e: Entry, open: boolean): HTMLElement {
  const text = (): HTMLElement => {
    const el = h("div", { class: "text", dir: "auto" });
    el.append(markdown(e.markdown || e.text || ""));
    return el;
  };
  switch (e.role) {
    case "tool": return tool(e.tool ?? { name: e.text ?? "", input: "", output: "", status: "ok", truncated: false }, open);
    case "thinking": return fold("thinking", open, ["Thinking", h("span", { class: "hint" }, firstLine(e.text))], () => [text()]);
    case "shell":
    case "command": return shell(e, open);
    case "system": return h("div", { class: "text" }, ...linked(e.text ?? ""));
    default: return h("div", {}, h("h2", { class: "who" }, e.role === "user" ? "You" : e.agent ?? e.role ?? ""), e.role === "user" ? h("div", { class: "text typed", dir: "auto" }, ...linked(e.text ?? "")) : text(), e.status === "partial" && h("p", { class: "note" }, "stopped here"));
  }
}

function shell(e: Entry, open: boolean): HTMLElement {
  const output = e.output ?? "";
  return h("div", { class: "shell" }, h("p", { class: "prompt" }, h("span", { "aria-hidden": "true" }, e.role === "shell" ? "$" : "›"), h("code", { title: e.cwd ?? "" }, e.text ?? ""), ...ending(e)),
    output && (output.length < 600 ? codeBox(output) : fold("output", open, [firstLine(output)], () => [codeBox(output)])));
}

// ending says what is unusual about a shell command's end.
function ending(e: Entry): HTMLElement[] {
  const out: HTMLElement[] = [];
  if (e.exit_status) out.push(h("span", { class: "badge failed" }, `exit status ${e.exit_status}`));
  if ((e.duration ?? 0) >= 10) out.push(h("span", { class: "badge" }, span(e.duration!)));
  return out;
}

function tool(t: Tool, open: boolean): HTMLElement {
  const marks: Record<string, string> = { ok: "✓", error: "✕", running: "…", rejected: "⊘" };
  const head = [h("span", { class: `mark ${t.status}`, title: t.status, role: "img", "aria-label": t.status }, marks[t.status] ?? "·"), h("b", {}, t.name), h("code", {}, firstLine(t.input))];
  if (!t.output && !t.input.includes("\n")) return h("div", { class: "fold flat" }, ...head);
  return fold("tool", open, head, () => [t.input.includes("\n") && codeBox(t.input, { label: "input" }),
    t.output && codeBox(t.output, { label: t.truncated ? "output, cut by the agent" : "", language: languageOf(t.input), tool: t.name })]);
}

// fold makes details whose inside is made when they are opened.
function fold(kind: string, open: boolean, head: (Node | string)[], inside: () => (Node | "" | false)[]): HTMLElement {
  const el = h("details", { class: `fold ${kind}`, open }, h("summary", {}, ...head));
  const make = (): void => {
    if (el.open && el.childElementCount === 1) el.append(...inside().filter((n) => n !== "" && n !== false));
  };
  el.addEventListener("toggle", make);
  makers.set(el, make);
  make();
  return el;
}

const makers = new WeakMap<HTMLDetailsElement, () => void>();

/** unfold opens details at once. */
export function unfold(el: HTMLDetailsElement): void {
  el.open = true;
  makers.get(el)?.();
}

const visible = (keys: string): string => keys.replace(/\r/g, "⏎").replace(/[\0-\x1f]/g, (c) => `^${String.fromCharCode(c.charCodeAt(0) + 64)}`).replace(/\x7f/g, "⌫");
const firstLine = (text = ""): string => text.trimStart().split("\n", 1)[0]!.slice(0, 300);

// eventText says an event in few words; nothing for those that the state shows anyway.
function eventText(e: Entry): string {
  const d = (e.data ?? {}) as Record<string, string | number | undefined>;
  const agent = e.agent ?? "agent";
  switch (e.event) {
    case "cli:busy": case "cli:idle": case "cli:screenRefresh": return "";
    case "cli:newSession": return [`${agent}${d.version ? ` ${d.version}` : ""} started`, d.model, d.cwd].filter(Boolean).join(" · ");
    case "cli:exit": return `${agent} was left`;
    case "cli:clear": return "conversation cleared";
    case "cli:interrupted": return "interrupted";
    case "cli:asking": return `${agent} asks for approval`;
    case "control:grant": return d.kind === "agent" ? `${d.by} lets programs type${d.until ? ` until ${when(String(d.until))}` : ""}` : `${d.by} took control`;
    case "control:revoke": return d.kind === "human" ? (d.reason === "given up" ? `${d.by} gave control up` : d.reason === "left" ? `${d.by} left` : `${d.by} lost control: ${d.reason ?? "revoked"}`) : `programs may no longer type${d.reason ? `: ${d.reason}` : ""}`;
    case "control:input": return `${d.by}${d.kind === "agent" ? " (program)" : ""} typed ${d.secret ? "a secret" : `“${visible(String(d.text ?? ""))}”`}`;
    case "pty:resize": return `window ${d.cols} × ${d.rows}`;
    case "pty:exit": return `exited with status ${d.status ?? 0}`;
    default: return [String(e.event).replace(/^\w+:/, ""), ...Object.values(d)].join(" · ");
  }
}
