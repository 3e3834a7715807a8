// The ground truth of a scenario: what a faithful transcript must hold, in order.
import { chunks, splitSteps, isTool, NOTIFIED } from "./mock.mjs";

/** A reply as an agent can show it at best: Copilot draws the cells of a table without any style, and leaves HTML out. */
function shown(text, agent) {
  if (agent !== "copilot") return text;
  return text
    .replace(/<\/?(details|summary)>\n?/g, "")
    .split("\n")
    .map(l => (/^\|.*\|$/.test(l) ? l.replace(/[*`]/g, "") : l))
    .join("\n");
}

/** Entries: {role:'user'|'assistant'|'tool'|'command'|'shell', ...} and {event:'start'|'clear'|'interrupt'|'exit'}. */
export function truth(sc, exit = null) {
  const entries = [];
  let agent = sc.shell ? null : sc.agent;
  if (agent) entries.push({ event: "start", agent });
  for (const t of sc.turns) {
    if (t.truth) {
      entries.push(...t.truth.map(e => ({ agent, ...e })));
    } else if (t.start) {
      agent = t.start;
      const old = entries.filter(
        e => e.agent === agent && (e.role === "user" || e.role === "assistant" || e.role === "tool"),
      );
      entries.push({ event: "start", agent });
      if (t.line) entries.push(...old.map(e => ({ ...e, may: true })));
    } // a conversation that is resumed is printed again, or its end
    else if (t.shell) entries.push({ role: "shell", text: t.shell, output: t.output ?? null });
    else if (t.clear) entries.push({ event: "clear", agent });
    else if (t.command) entries.push({ role: "command", text: t.command, agent, ...(t.may ? { may: true } : {}) });
    else if (t.exit) {
      entries.push({ event: "exit", agent });
      agent = null;
    } else if (t.prompt) {
      entries.push({ role: "user", text: t.prompt, agent });
      // An agent may leave on the screen what came before the connection was cut, and go on behind it.
      const cut = t.fail?.find(f => f.cut)?.cut,
        again = text => (cut ? { or: chunks(text).slice(0, cut).join("") + text } : {});
      const steps = splitSteps(t.reply),
        steer = (t.queue ?? []).filter(q => q.steers);
      for (const step of steps) {
        if (step === steps.at(-1)) for (const q of steer) entries.push({ role: "user", text: q.prompt, agent });
        for (const p of step) {
          if (p.text)
            entries.push({
              role: "assistant",
              text: shown(p.text, agent),
              agent,
              ...again(p.text),
              ...(t.interruptMs ? { partial: true } : {}),
            });
          else if (p.thinking) entries.push({ role: "thinking", text: p.thinking, agent, optional: true });
          else
            entries.push({
              role: "tool",
              agent,
              op: ["run", "read", "write", "edit", "mcp", "task", "todo", "fetch", "search", "tool"].find(k => p[k]),
              contains:
                p.contains ??
                p.run ??
                p.read ??
                p.write ??
                p.edit ??
                p.mcp ??
                p.task ??
                p.fetch ??
                p.search ??
                p.todo?.[0]?.[0] ??
                p.tool,
              ...(p.or ? { or: p.or } : p.todo ? { or: `Set ${p.todo.length} todo(s)` } : {}), // Gemini up to 0.28
              output: p.output ?? null,
              ...(p.may ? { may: true } : {}),
            });
        }
      }
      for (const q of (t.queue ?? []).filter(q => !q.steers)) {
        entries.push({ role: "user", text: q.prompt, agent });
        for (const p of q.reply ?? []) if (p.text) entries.push({ role: "assistant", text: shown(p.text, agent), agent });
      }
      for (const p of t.reply ?? []) {
        if (p.task || p.background) entries.push({ role: "assistant", text: NOTIFIED, agent, may: true });
      } // an agent may ask the model again each time that work in the background ends
      if (t.after) entries.push(...t.after.map(e => ({ agent, ...e })));
      if (t.interruptMs) entries.push({ event: "interrupt", agent });
    }
  }
  return {
    name: sc.name,
    agent: sc.agent,
    version: sc.version,
    cols: sc.cols,
    rows: sc.rows,
    shell: !!sc.shell,
    exit,
    entries,
  };
}
