// A scripted model server: answers the three agents' APIs on loopback from a scenario,
// statelessly: the reply is chosen by the last prompt of the scenario found in the request
// and by how many tool results follow it.
import http from "node:http";

/** The reply to the news that work in the background has ended. */
export const NOTIFIED = "The agent has finished.";

const sleep = ms => new Promise(r => setTimeout(r, ms));

/** Splits text into stream chunks of 1-4 words so that agents redraw while they stream. */
export function chunks(text) {
  const out = [];
  const re = /\S+\s*|\s+/g;
  let m,
    buf = "",
    n = 0,
    want = 3;
  while ((m = re.exec(text))) {
    buf += m[0];
    if (++n >= want) {
      out.push(buf);
      buf = "";
      n = 0;
      want = 1 + ((out.length * 7) % 4);
    }
  }
  if (buf) out.push(buf);
  return out;
}

export class Script {
  constructor(scenario) {
    this.turns = [
      ...scenario.turns.filter(t => t.prompt && t.reply),
      ...scenario.turns.flatMap(t => t.queue ?? []).filter(t => t.reply),
      ...(scenario.hidden ?? []).map(t => ({ ...t, hidden: true })),
    ];
    this.all = this.turns;
    this.failed = new Map();
    this.chunkMs = scenario.chunkMs ?? 15;
    this.log = [];
    this.served = 0;
    this.cwd = scenario.cwd;
    this.summary = scenario.summary;
    this.webText = scenario.webText;
  }
  /** items: [{role:'user'|'tool', text}] in order. Returns the reply step for the last scenario prompt. */
  /** The agent has forgotten the first n turns (a clear): equal prompts are counted from there on. */
  forget(n) {
    this.turns = [...this.turns.filter(t => t.hidden), ...this.all.filter(t => !t.hidden).slice(n)];
  }
  pick(items) {
    const end = items.at(-1);
    if (end?.role === "user" && /<task-notification>/.test(end.text)) {
      this.last = { turn: { hidden: true }, last: true };
      return [{ text: NOTIFIED }];
    }
    for (let i = items.length - 1; i >= 0; i--) {
      if (items[i].role !== "user") continue;
      const t = this.turns.findLast(t => hits(items[i].text, t.prompt));
      if (!t) continue;
      // Among repeated prompts pick by how often the prompt occurred so far.
      const same = this.turns.filter(x => x.prompt === t.prompt);
      const seen = items.slice(0, i + 1).filter(x => x.role === "user" && hits(x.text, t.prompt)).length;
      const turn = same[Math.min(seen, same.length) - 1];
      const tools = items.slice(i + 1).filter(x => x.role === "tool").length;
      const steps = splitSteps(turn.reply);
      let at = 0,
        sum = 0;
      while (at < steps.length - 1 && (sum += Math.max(1, steps[at].filter(isTool).length)) <= tools) at++;
      this.last = { turn, last: at === steps.length - 1 };
      const fail = turn.fail; // [{status, type, message} | {cut: n}], one after the other, then the reply
      if (fail) {
        const n = this.failed.get(turn) ?? 0;
        if (n < fail.length) {
          this.failed.set(turn, n + 1);
          const f = fail[n];
          return f.cut ? Object.assign(steps[at].slice(), { cut: f.cut }) : { fail: f };
        }
      }
      return steps[at] ?? null;
    }
    return null;
  }
}
const hits = (text, prompt) =>
  prompt.length < 12 ? text.split("\n").some(l => l.trim() === prompt) : norm(text).includes(norm(prompt));
/** What the scenario asks for ({run|read|write|edit}) as a call of a tool that the request declares. */
export function toolCall(p, names, cwd) {
  const has = n => names.includes(n),
    at = f => `${cwd}/${f}`;
  if (p.mcp) {
    const n = names.find(n => n.endsWith(p.mcp)) ?? `mcp__shop__${p.mcp}`;
    return { tool: n, input: p.input ?? {} };
  }
  if (p.task)
    return has("Task")
      ? { tool: "Task", input: { description: p.task, prompt: p.ask, subagent_type: "general-purpose" } }
      : has("Agent")
        ? {
            tool: "Agent",
            input: {
              description: p.task,
              prompt: p.ask,
              subagent_type: "general-purpose",
              ...(p.bg === false ? { run_in_background: false } : {}),
            },
          }
        : { tool: "invoke_agent", input: { agent_name: "generalist", prompt: p.ask } };
  if (p.todo) {
    if (has("TodoWrite"))
      return {
        tool: "TodoWrite",
        input: { todos: p.todo.map(([content, status]) => ({ content, status, activeForm: content })) },
      };
    if (has("update_plan"))
      return {
        tool: "update_plan",
        input: { explanation: p.why ?? "", plan: p.todo.map(([step, status]) => ({ step, status })) },
      };
    if (has("write_todos"))
      return {
        tool: "write_todos",
        input: { todos: p.todo.map(([description, status]) => ({ description, status })) },
      };
  }
  if (p.fetch)
    return has("WebFetch")
      ? { tool: "WebFetch", input: { url: p.fetch, prompt: "Summarize" } }
      : { tool: "web_fetch", input: { prompt: `Summarize ${p.fetch}` } };
  if (p.search)
    return has("WebSearch")
      ? { tool: "WebSearch", input: { query: p.search } }
      : has("google_web_search")
        ? { tool: "google_web_search", input: { query: p.search } }
        : { server: "web_search_call", query: p.search };
  if (p.run) {
    if (has("Bash"))
      return {
        tool: "Bash",
        input: {
          command: p.run,
          description: p.why ?? "Run a command",
          ...(p.background ? { run_in_background: true } : {}),
        },
      };
    if (has("bash")) return { tool: "bash", input: { command: p.run, description: p.why ?? "Run a command" } };
    if (has("run_shell_command"))
      return {
        tool: "run_shell_command",
        input: { command: p.run, description: p.why ?? "Run a command", is_background: false },
      };
    if (has("exec_command"))
      return {
        tool: "exec_command",
        input: { cmd: p.run, ...(p.ask ? { sandbox_permissions: "require_escalated", justification: p.ask } : {}) },
      };
    if (has("shell_command")) return { tool: "shell_command", input: { command: p.run } };
    return { tool: "shell", input: { command: ["bash", "-lc", p.run] } };
  }
  if (p.read) {
    if (has("Read")) return { tool: "Read", input: { file_path: at(p.read) } };
    if (pi(names)) return { tool: "read", input: { path: at(p.read) } };
    if (has("read")) return { tool: "read", input: { filePath: at(p.read) } };
    if (has("read_file")) return { tool: "read_file", input: { file_path: at(p.read), absolute_path: at(p.read) } };
    if (has("view")) return { tool: "view", input: { path: at(p.read) } };
    return toolCall({ run: `cat ${p.read}` }, names, cwd);
  }
  if (p.write) {
    if (has("Write")) return { tool: "Write", input: { file_path: at(p.write), content: p.content } };
    if (pi(names)) return { tool: "write", input: { path: at(p.write), content: p.content } };
    if (has("write")) return { tool: "write", input: { filePath: at(p.write), content: p.content } };
    if (has("write_file")) return { tool: "write_file", input: { file_path: at(p.write), content: p.content } };
    if (has("create")) return { tool: "create", input: { path: at(p.write), file_text: p.content } };
    return patch(
      `*** Add File: ${p.write}\n` +
        p.content
          .replace(/\n$/, "")
          .split("\n")
          .map(l => "+" + l)
          .join("\n"),
      names,
      cwd,
    );
  }
  if (p.edit) {
    if (has("Edit")) return { tool: "Edit", input: { file_path: at(p.edit), old_string: p.old, new_string: p.new } };
    if (pi(names))
      return { tool: "edit", input: { path: at(p.edit), edits: [{ oldText: p.old, newText: p.new }] } };
    if (has("edit"))
      return {
        tool: "edit",
        input: {
          filePath: at(p.edit),
          file_path: at(p.edit),
          path: at(p.edit),
          old_str: p.old,
          new_str: p.new,
          oldString: p.old,
          newString: p.new,
          old_string: p.old,
          new_string: p.new,
        },
      };
    if (has("replace"))
      return {
        tool: "replace",
        input: { file_path: at(p.edit), instruction: p.why ?? "Change it", old_string: p.old, new_string: p.new },
      };
    return patch(
      `*** Update File: ${p.edit}\n@@\n` +
        p.old
          .split("\n")
          .map(l => "-" + l)
          .join("\n") +
        "\n" +
        p.new
          .split("\n")
          .map(l => "+" + l)
          .join("\n"),
      names,
      cwd,
    );
  }
  return p;
}
/** Whether the tools are those of pi, which has the names of opencode's and other inputs. */
const pi = names => names.includes("read") && names.includes("bash") && !names.includes("webfetch");
function patch(body, names, cwd) {
  const text = `*** Begin Patch\n${body}\n*** End Patch`;
  if (names.includes("apply_patch")) return { tool: "apply_patch", input: text };
  return toolCall({ run: `apply_patch <<'EOF'\n${text}\nEOF` }, names, cwd);
}
export const isTool = p =>
  p.tool || p.run || p.read || p.write || p.edit || p.mcp || p.task || p.todo || p.fetch || p.search;
const norm = s => s.replace(/\s+/g, " ").trim();

/** A reply is a list of parts {thinking}|{text}|{tool,input}; a step ends after consecutive tool parts. */
export function splitSteps(reply) {
  const steps = [];
  let cur = [];
  for (const p of reply) {
    cur.push(p);
    if (isTool(p) && !p.more) {
      steps.push(cur);
      cur = [];
    }
  } // {more: true}: the next call comes in the same reply
  if (cur.length) steps.push(cur);
  return steps;
}

function body(req) {
  return new Promise(r => {
    let b = "";
    req.on("data", d => (b += d));
    req.on("end", () => r(b));
  });
}
const sse = (res, event, data) => res.write((event ? `event: ${event}\n` : "") + `data: ${JSON.stringify(data)}\n\n`);

export function serve(scenario, { port = 0, verbose = false } = {}) {
  const script = new Script(scenario);
  const server = http.createServer(async (req, res) => {
    const raw = await body(req);
    let j = null;
    try {
      j = JSON.parse(raw);
    } catch {}
    const url = new URL(req.url, "http://x");
    script.log.push({ method: req.method, url: req.url, body: j });
    if (verbose) console.error(req.method, req.url, raw.length);
    try {
      if (req.method === "POST" && url.pathname.endsWith("/v1/messages")) return await anthropic(script, j, res);
      if (req.method === "POST" && url.pathname.endsWith("/count_tokens")) return json(res, { input_tokens: 100 });
      if (req.method === "POST" && url.pathname.endsWith("/responses")) return await openai(script, j, res);
      if (req.method === "POST" && url.pathname.endsWith("/chat/completions")) return await chat(script, j, res);
      if (url.pathname.endsWith("/models")) return json(res, { object: "list", data: [], models: [] });
      if (/:(stream)?[gG]enerateContent$/.test(url.pathname)) return await gemini(script, j, res, url);
      if (/:countTokens$/.test(url.pathname)) return json(res, { totalTokens: 100 });
      res.writeHead(404, { "content-type": "application/json" });
      res.end('{"error":{"message":"not found","type":"not_found_error"}}');
    } catch (e) {
      console.error("mock error", e);
      try {
        res.end();
      } catch {}
    }
  });
  return new Promise(r => server.listen(port, "127.0.0.1", () => r({ server, script, port: server.address().port })));
}
function json(res, o) {
  res.writeHead(200, { "content-type": "application/json" });
  res.end(JSON.stringify(o));
}

// --- Anthropic Messages API ---
async function anthropic(script, j, res) {
  const items = [];
  for (const m of j.messages) {
    const parts = typeof m.content === "string" ? [{ type: "text", text: m.content }] : m.content;
    if (m.role !== "user") continue;
    for (const p of parts) {
      if (p.type === "text") items.push({ role: "user", text: p.text });
      if (p.type === "tool_result") items.push({ role: "tool", text: JSON.stringify(p.content) });
    }
  }
  const main = (j.tools?.length ?? 0) > 2;
  const sum =
    JSON.stringify(j.messages.at(-1)?.content ?? "").match(
      /create a detailed summary of|summary of (the|this) conversation/i,
    ) && script.summary;
  let picked = sum ? [{ text: script.summary }] : main ? script.pick(items) : null,
    mark = picked && !sum && script.last;
  if (!sum && !main && /web search|Perform a web search/i.test(JSON.stringify(j.messages ?? "")))
    picked = [{ text: script.webText ?? "Found: the answer is 42." }];
  if (picked?.fail) {
    const f = picked.fail;
    res.writeHead(f.status, { "content-type": "application/json", ...(f.headers ?? {}) });
    return res.end(JSON.stringify({ type: "error", error: { type: f.type ?? "api_error", message: f.message } }));
  }
  const cutAt = picked?.cut;
  const step = (picked || [{ text: main ? "ok" : '{"title":"Test session","isNewTopic":false}' }]).map(p =>
    toolCall(p, j.tools?.map(t => t.name) ?? [], script.cwd),
  );
  const id = "msg_" + Math.random().toString(36).slice(2);
  const msg = {
    id,
    type: "message",
    role: "assistant",
    model: j.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
  const stop = step.some(p => p.tool) ? "tool_use" : "end_turn";
  const content = step.map((p, i) =>
    p.tool
      ? { type: "tool_use", id: `toolu_${id.slice(4)}${i}`, name: p.tool, input: p.input }
      : p.thinking
        ? { type: "thinking", thinking: p.thinking, signature: "c2ln" }
        : { type: "text", text: p.text },
  );
  if (!j.stream) return json(res, { ...msg, content, stop_reason: stop });
  res.writeHead(200, { "content-type": "text/event-stream" });
  sse(res, "message_start", { type: "message_start", message: msg });
  if (main) script.streaming = Date.now();
  await sleep(script.chunkMs * 20);
  for (const [i, b] of content.entries()) {
    if (b.type === "text") {
      sse(res, "content_block_start", {
        type: "content_block_start",
        index: i,
        content_block: { type: "text", text: "" },
      });
      let n = 0;
      for (const c of chunks(b.text)) {
        if (cutAt && n++ >= cutAt) {
          await sleep(300);
          return res.destroy();
        }
        sse(res, "content_block_delta", {
          type: "content_block_delta",
          index: i,
          delta: { type: "text_delta", text: c },
        });
        if (main) await sleep(script.chunkMs);
      }
    } else if (b.type === "thinking") {
      sse(res, "content_block_start", {
        type: "content_block_start",
        index: i,
        content_block: { type: "thinking", thinking: "", signature: "" },
      });
      for (const c of chunks(b.thinking)) {
        sse(res, "content_block_delta", {
          type: "content_block_delta",
          index: i,
          delta: { type: "thinking_delta", thinking: c },
        });
        await sleep(script.chunkMs);
      }
      sse(res, "content_block_delta", {
        type: "content_block_delta",
        index: i,
        delta: { type: "signature_delta", signature: b.signature },
      });
    } else {
      sse(res, "content_block_start", { type: "content_block_start", index: i, content_block: { ...b, input: {} } });
      sse(res, "content_block_delta", {
        type: "content_block_delta",
        index: i,
        delta: { type: "input_json_delta", partial_json: JSON.stringify(b.input) },
      });
    }
    sse(res, "content_block_stop", { type: "content_block_stop", index: i });
  }
  sse(res, "message_delta", {
    type: "message_delta",
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { output_tokens: 50 },
  });
  sse(res, "message_stop", { type: "message_stop" });
  res.end();
  if (mark?.last && !mark.turn.hidden) script.served++;
}

// --- OpenAI Responses API ---
async function openai(script, j, res) {
  const items = [];
  for (const m of j.input ?? []) {
    if (m.type === "message" && m.role === "user")
      for (const p of m.content) if (p.text) items.push({ role: "user", text: p.text });
    if (/_call_output$/.test(m.type)) items.push({ role: "tool", text: JSON.stringify(m.output) });
  }
  const names = (j.tools ?? []).map(t => t.name ?? t.type);
  const ns = {};
  for (const t of j.tools ?? [])
    if (t.tools)
      for (const x of t.tools) {
        names.push(x.name);
        ns[x.name] = t.name;
      }
  const sum =
    /CONTEXT CHECKPOINT COMPACTION|handoff summary|summary of the conversation/i.test(
      JSON.stringify((j.input ?? []).slice(-1)),
    ) && script.summary;
  const main = names.length > 1;
  let picked = sum ? [{ text: script.summary }] : main ? script.pick(items) : null;
  const mark = picked && !sum && script.last;
  if (picked?.fail) {
    const f = picked.fail;
    res.writeHead(f.status, { "content-type": "application/json", ...(f.headers ?? {}) });
    return res.end(
      JSON.stringify({ error: { type: f.type ?? "server_error", code: f.type ?? null, message: f.message } }),
    );
  }
  const cutAt = picked?.cut;
  const step = (
    picked || [
      { text: main ? "ok" : j.text?.format?.schema ? JSON.stringify(fill(j.text.format.schema)) : "Test session" },
    ]
  ).map(p => toolCall(p, names, script.cwd));
  const id = "resp_" + Math.random().toString(36).slice(2);
  res.writeHead(200, { "content-type": "text/event-stream" });
  let seq = 0;
  const ev = (type, o) => sse(res, type, { type, sequence_number: seq++, ...o });
  ev("response.created", { response: { id, object: "response", status: "in_progress", output: [] } });
  script.streaming = Date.now();
  await sleep(script.chunkMs * 20);
  const output = [];
  for (const [i, p] of step.entries()) {
    const iid = `item_${id.slice(5)}${i}`;
    let item;
    if (p.text) {
      item = {
        type: "message",
        id: iid,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: p.text, annotations: [] }],
      };
      if (p.phase) item.phase = p.phase;
      ev("response.output_item.added", { output_index: i, item: { ...item, status: "in_progress", content: [] } });
      let n = 0;
      for (const c of chunks(p.text)) {
        if (cutAt && n++ >= cutAt) {
          await sleep(300);
          return res.destroy();
        }
        ev("response.output_text.delta", { item_id: iid, output_index: i, content_index: 0, delta: c });
        await sleep(script.chunkMs);
      }
    } else if (p.thinking) {
      item = { type: "reasoning", id: iid, summary: [{ type: "summary_text", text: p.thinking }] };
      ev("response.output_item.added", { output_index: i, item: { ...item, summary: [] } });
      ev("response.reasoning_summary_part.added", {
        item_id: iid,
        output_index: i,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      });
      for (const c of chunks(p.thinking)) {
        ev("response.reasoning_summary_text.delta", { item_id: iid, output_index: i, summary_index: 0, delta: c });
        await sleep(script.chunkMs);
      }
    } else if (p.server) {
      item = { type: p.server, id: iid, status: "completed", action: { type: "search", query: p.query } };
      ev("response.output_item.added", { output_index: i, item: { ...item, status: "in_progress" } });
      await sleep(400);
    } else if (typeof p.input === "string") {
      item = {
        type: "custom_tool_call",
        id: iid,
        call_id: `call_${id.slice(5)}${i}`,
        name: p.tool,
        input: p.input,
        status: "completed",
      };
      ev("response.output_item.added", { output_index: i, item });
    } else {
      item = {
        type: "function_call",
        id: iid,
        call_id: `call_${id.slice(5)}${i}`,
        name: p.tool,
        ...(ns[p.tool] ? { namespace: ns[p.tool] } : {}),
        arguments: JSON.stringify(p.input),
        status: "completed",
      };
      ev("response.output_item.added", { output_index: i, item });
    }
    ev("response.output_item.done", { output_index: i, item });
    output.push(item);
  }
  ev("response.completed", {
    response: {
      id,
      object: "response",
      status: "completed",
      output,
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 50,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 150,
      },
    },
  });
  res.end();
  if (mark?.last && !mark.turn.hidden) script.served++;
}

// --- OpenAI Chat Completions (Qwen Code, opencode) ---
/** What Qwen asks beside the conversation, with all of its tools: what to remember, and what the user may type next. */
const ASIDE = /^(Managed memory has|\[SUGGESTION MODE)/;
async function chat(script, j, res) {
  const items = [];
  for (const m of j.messages ?? []) {
    if (m.role === "user")
      for (const p of typeof m.content === "string" ? [{ text: m.content }] : m.content)
        if (p.text) items.push({ role: "user", text: p.text });
    if (m.role === "tool") items.push({ role: "tool", text: JSON.stringify(m.content) });
  }
  const names = (j.tools ?? []).map(t => t.function?.name),
    main = names.length > 2 && !ASIDE.test(items.at(-1)?.text ?? "");
  const picked = main ? script.pick(items) : null,
    mark = picked && script.last;
  const step = (picked || [{ text: main ? "ok" : "Test session" }]).map(p =>
    p.thinking ? p : toolCall(p, names, script.cwd),
  );
  const id = "chat_" + Math.random().toString(36).slice(2),
    base = { id, object: "chat.completion.chunk", created: 1763600000, model: j.model };
  const calls = step
    .filter(p => p.tool)
    .map((p, i) => ({
      index: i,
      id: `call_${id.slice(5)}${i}`,
      type: "function",
      function: { name: p.tool, arguments: JSON.stringify(p.input) },
    }));
  const stop = calls.length ? "tool_calls" : "stop",
    usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  if (!j.stream)
    return json(res, {
      ...base,
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: step.map(p => p.text ?? "").join("") || null,
            ...(calls.length ? { tool_calls: calls } : {}),
          },
          finish_reason: stop,
        },
      ],
      usage,
    });
  res.writeHead(200, { "content-type": "text/event-stream" });
  const ev = (delta, fin = null, more = {}) =>
    sse(res, null, { ...base, choices: [{ index: 0, delta, finish_reason: fin }], ...more });
  ev({ role: "assistant", content: "" });
  if (main) script.streaming = Date.now();
  await sleep(script.chunkMs * 20);
  for (const p of step)
    if (p.thinking)
      for (const c of chunks(p.thinking)) {
        ev({ reasoning_content: c });
        await sleep(script.chunkMs);
      }
    else if (p.text)
      for (const c of chunks(p.text)) {
        ev({ content: c });
        if (main) await sleep(script.chunkMs);
      }
  for (const c of calls) ev({ tool_calls: [c] });
  ev({}, stop, { usage });
  res.write("data: [DONE]\n\n");
  res.end();
  if (mark?.last && !mark.turn.hidden) script.served++;
}

// --- Gemini API ---
async function gemini(script, j, res, url) {
  const items = [];
  for (const c of j.contents ?? []) {
    if (c.role && c.role !== "user") continue;
    for (const p of c.parts ?? []) {
      if (p.functionResponse) items.push({ role: "tool", text: JSON.stringify(p.functionResponse) });
      else if (p.text) items.push({ role: "user", text: p.text });
    }
  }
  const fns = (j.tools ?? []).flatMap(t => t.functionDeclarations ?? []);
  const main = fns.length > 2;
  const picked = main ? script.pick(items) : null,
    mark = picked && script.last;
  if (picked?.fail) {
    const f = picked.fail;
    res.writeHead(f.status, { "content-type": "application/json" });
    return res.end(
      JSON.stringify({ error: { code: f.status, message: f.message, status: f.type ?? "INTERNAL", details: [] } }),
    );
  }
  const cutAt = picked?.cut;
  const step =
    picked?.map(p =>
      toolCall(
        p,
        fns.map(f => f.name),
        script.cwd,
      ),
    ) ?? null;
  const wrap = (parts, fin) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...(fin ? { finishReason: "STOP" } : {}) }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    modelVersion: "mock",
  });
  if (!step) {
    if (/google_?search|url_?context/i.test(JSON.stringify(j.tools ?? ""))) {
      const w = wrap([{ text: script.webText ?? "Found: the answer is 42." }], true);
      if (/stream/.test(url.pathname)) {
        res.writeHead(200, { "content-type": "text/event-stream" });
        sse(res, null, w);
        return res.end();
      }
      return json(res, w);
    }
    if (
      script.summary &&
      /state_snapshot|compress/i.test(
        JSON.stringify(j.systemInstruction ?? "") + JSON.stringify((j.contents ?? []).slice(-1)),
      )
    ) {
      const w = wrap([{ text: "<state_snapshot>" + script.summary + "</state_snapshot>" }], true);
      if (/stream/.test(url.pathname)) {
        res.writeHead(200, { "content-type": "text/event-stream" });
        sse(res, null, w);
        return res.end();
      }
      return json(res, w);
    }
    const schema = j.generationConfig?.responseSchema ?? j.generationConfig?.responseJsonSchema;
    const text = schema ? JSON.stringify(fill(schema)) : "ok";
    if (/stream/.test(url.pathname)) {
      res.writeHead(200, { "content-type": "text/event-stream" });
      sse(res, null, wrap([{ text }], true));
      return res.end();
    }
    return json(res, wrap([{ text }], true));
  }
  res.writeHead(200, { "content-type": "text/event-stream" });
  script.streaming = Date.now();
  await sleep(script.chunkMs * 20);
  for (const p of step) {
    if (p.text) {
      let n = 0;
      for (const c of chunks(p.text)) {
        if (cutAt && n++ >= cutAt) {
          await sleep(300);
          return res.destroy();
        }
        sse(res, null, wrap([{ text: c }]));
        await sleep(script.chunkMs);
      }
    } else if (p.thinking) sse(res, null, wrap([{ text: p.thinking, thought: true }]));
    else sse(res, null, wrap([{ functionCall: { name: p.tool, args: p.input } }]));
  }
  sse(res, null, wrap([{ text: "" }], true));
  res.end();
  if (mark?.last && !mark.turn.hidden) script.served++;
}
/** A minimal value that fits a JSON schema (for the agent's side questions). */
function fill(s) {
  const t = String(s.type ?? "object").toLowerCase();
  if (s.enum) return s.enum[0];
  if (t === "object")
    return Object.fromEntries(
      (s.required ?? Object.keys(s.properties ?? {})).map(k => [k, fill(s.properties?.[k] ?? { type: "string" })]),
    );
  if (t === "array") return [];
  if (t === "boolean") return false;
  if (t === "number" || t === "integer") return 1;
  return "ok";
}
