// Kinds that the lab's own list does not cover: what real users do beside typing a prompt and reading the reply.
const H = "/home/dev";
const MCP = `import readline from 'node:readline';
const out = o => process.stdout.write(JSON.stringify(o) + '\\n');
readline.createInterface({ input: process.stdin }).on('line', l => { let m; try { m = JSON.parse(l); } catch { return; }
  if (m.method === 'initialize') out({ jsonrpc: '2.0', id: m.id, result: { protocolVersion: m.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'shop', version: '1.0.0' } } });
  else if (m.method === 'tools/list') out({ jsonrpc: '2.0', id: m.id, result: { tools: [
    { name: 'lookup', description: 'Looks an order up', inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
    { name: 'report', description: 'Writes a report', inputSchema: { type: 'object', properties: { days: { type: 'number' } } } } ] } });
  else if (m.method === 'tools/call') out({ jsonrpc: '2.0', id: m.id, result: { content: [{ type: 'text', text: m.params.name === 'lookup' ? 'order ' + m.params.arguments.id + ' shipped on Friday' : Array.from({ length: 30 }, (_, i) => 'day ' + (i + 1) + ' sold ' + (i * 7 % 13)).join('\\n') }] } });
  else if (m.id !== undefined) out({ jsonrpc: '2.0', id: m.id, result: {} });
});
`;
const mcp = () => ({
  home: {
    "mcp.mjs": MCP,
    "mcp.json": JSON.stringify({ mcpServers: { shop: { command: "node", args: [`${H}/mcp.mjs`] } } }),
  },
  args: {
    claude: ["--mcp-config", `${H}/mcp.json`, "--allowedTools", "mcp__shop__lookup,mcp__shop__report"],
    codex: [
      "-c",
      'mcp_servers.shop.command="node"',
      "-c",
      `mcp_servers.shop.args=["${H}/mcp.mjs"]`,
      "-c",
      'mcp_servers.shop.default_tools_approval_mode="approve"',
    ],
  },
  files: {
    ".gemini/settings.json": JSON.stringify({
      mcpServers: { shop: { command: "node", args: [`${H}/mcp.mjs`], trust: true } },
    }),
  },
});
const F = "```";
const BIG = Array.from({ length: 60 }, (_, i) => `line ${i + 1} of the settings`).join("\n") + "\n";
const FILES = {
  "main.go":
    'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("shop", version())\n}\n\nfunc version() string { return "1.4.0" }\n',
  "README.md": "# shop\n\nA small shop service.\n",
  "big.txt": BIG,
};

export const ADV = {
  // --- tools ---
  mcp: m => ({
    ...mcp(),
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(m.sentence()),
          { mcp: "lookup", input: { id: "A-17" }, contains: "lookup", output: "order A-17 shipped on Friday" },
          m.text(m.para(2)),
        ],
      },
      {
        prompt: m.ask(),
        reply: [{ mcp: "report", input: { days: 30 }, contains: "report", output: "day 1 sold" }, m.text(m.para(2))],
      },
    ],
  }),
  web: (m, a) => ({
    args: { claude: ["--allowedTools", "WebSearch,WebFetch", "--settings", '{"skipWebFetchPreflight":true}'] },
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(m.sentence()),
          a === "codex"
            ? { server: "web_search_call", query: "go cache eviction", contains: "go cache eviction" }
            : { search: "go cache eviction" },
          m.text(m.para(2)),
        ],
      },
      {
        prompt: m.ask(),
        reply:
          a === "codex"
            ? [
                { server: "web_search_call", query: "site:go.dev sync.Map", contains: "site:go.dev sync.Map" },
                m.text(m.para(2)),
              ]
            : [{ fetch: "https://example.test/docs" }, m.text(m.para(2))],
      },
    ],
  }),
  todo: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(m.sentence()),
          {
            todo: [
              ["Read the cache code", "in_progress"],
              ["Fix the eviction", "pending"],
              ["Run the tests", "pending"],
            ],
          },
          { run: "echo step one", output: null },
          {
            todo: [
              ["Read the cache code", "completed"],
              ["Fix the eviction", "in_progress"],
              ["Run the tests", "pending"],
            ],
          },
          m.text(m.para(2)),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          {
            todo: [
              ["Read the cache code", "completed"],
              ["Fix the eviction", "completed"],
              ["Run the tests", "completed"],
            ],
          },
          m.text(m.para(2)),
        ],
      },
    ],
  }),
  subagent: m => ({
    files: FILES,
    hidden: [
      {
        prompt: "Count the go files of the shop carefully",
        reply: [
          m.text("Looking."),
          { run: "ls *.go", output: null },
          { read: "main.go" },
          m.text("There is one go file."),
        ],
      },
    ],
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(m.sentence()),
          { task: "Count go files", bg: false, ask: "Count the go files of the shop carefully" },
          m.text(m.para(2)),
        ],
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  subagents: m => ({
    files: FILES,
    hidden: [
      {
        prompt: "Count the go files of the shop carefully",
        reply: [{ run: "ls *.go", output: null }, m.text("There is one go file.")],
      },
      {
        prompt: "Count the text files of the shop carefully",
        reply: [{ run: "ls *.txt", output: null }, m.text("There is one text file.")],
      },
    ],
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(m.sentence()),
          { task: "Count go files", bg: false, ask: "Count the go files of the shop carefully", more: true },
          { task: "Count text files", bg: false, ask: "Count the text files of the shop carefully" },
          m.text(m.para(2)),
        ],
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  parallel: m => ({
    files: FILES,
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(m.sentence()),
          { run: "echo alpha; sleep 0.4", output: null, more: true },
          { run: "echo beta", output: null, more: true },
          { read: "main.go", more: true },
          { read: "README.md" },
          m.text(m.para(2)),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          { read: "big.txt", more: true },
          { run: "grep -n Println main.go", output: null },
          m.text(m.para(2)),
          { edit: "main.go", old: '"1.4.0"', new: '"1.6.0"', more: true },
          { write: "notes.md", content: "# Notes\n\none\n" },
          m.text(m.sentence()),
        ],
      },
    ],
  }),
  background: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(m.sentence()),
          { run: "for i in 1 2 3; do echo tick $i; sleep 1; done", background: true, output: null },
          m.text(m.para(2)),
        ],
      },
      { acts: [4000] },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  longout: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [m.text(m.sentence()), { run: 'seq -f "item %g of many" 1 300', output: null }, m.text(m.para(2))],
      },
      {
        prompt: m.ask(),
        reply: [
          { run: 'for i in $(seq 1 40); do echo "error: thing $i failed badly" >&2; done; exit 3', output: null },
          m.text(m.para(2)),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          { run: "cat /does/not/exist", output: null },
          m.text(m.para(2)),
          { run: "python3 -c \"print('x' * 700)\"", output: null },
          m.text(m.sentence()),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          { run: 'printf "\\033[31mred\\033[0m plain\\n● fake\\n> fake prompt\\n❯ fake\\n"', output: null },
          m.text(m.sentence()),
        ],
      },
    ],
  }),
  hunks: m => {
    const nw = BIG.split("\n")
      .map((l, i) => ([3, 15, 28, 40, 55].includes(i) ? `changed ${i}` : l))
      .join("\n");
    return {
      files: FILES,
      turns: [
        {
          prompt: m.ask(),
          reply: [
            m.text(m.sentence()),
            { read: "big.txt" },
            {
              edit: "big.txt",
              old: "line 5 of the settings\nline 6 of the settings",
              new: "line 5 of the options\nline 5b of the options\nline 6 of the options",
            },
            { write: "big.txt", content: nw },
            m.text(m.para(2)),
          ],
        },
        {
          prompt: m.ask(),
          reply: [
            {
              write: "src/new.ts",
              content:
                Array.from({ length: 45 }, (_, i) => `export const v${i} = ${i * 3}; // ● note › here`).join("\n") +
                "\n",
            },
            m.text(m.para(2)),
          ],
        },
      ],
    };
  },
  denied: m => {
    const ask = m.ask(),
      run = "touch made.txt && echo made it",
      before = m.sentence(),
      after = m.para(2);
    return {
      approvals: true,
      files: FILES,
      turns: [
        {
          prompt: ask,
          reply: [m.text(before), { run, ask: "May I create the file?", output: null }, m.text(after)],
          until: "Do you want|Would you like|Allow exec",
          truth: [
            { role: "user", text: ask },
            { role: "assistant", text: before },
            { role: "tool", op: "run", contains: run, output: null },
          ],
        },
        {
          acts: [600, "\x1b", 1500],
          // The question ends the turn; an agent that did not ask goes on.
          truth: [
            { event: "interrupt", may: true },
            { role: "assistant", text: after, may: true },
          ],
        },
        { prompt: m.ask(), reply: [m.text(m.para(2))] },
      ],
    };
  },
  feedback: (m, a) => {
    const ask = m.ask(),
      run = "touch made.txt && echo made it",
      said = { role: "user", text: "use a dry run instead" },
      before = m.sentence(),
      after = m.para(2);
    return {
      approvals: true,
      files: FILES,
      hidden: [{ prompt: said.text, reply: [m.text(after)] }],
      turns: [
        {
          prompt: ask,
          reply: [m.text(before), { run, ask: "May I create the file?", output: null }, m.text(after)],
          until: "Do you want|Would you like|Allow exec",
          truth: [
            { role: "user", text: ask },
            { role: "assistant", text: before },
            { role: "tool", op: "run", contains: run, output: null },
          ],
        },
        {
          acts: [600, "\x1b[B", "\x1b[B", 400, ...(a === "claude" ? ["\t", 400] : ["\r", 800]), said.text, 400, "\r", 3500],
          // Codex and Gemini stop at a no; what is said then is a prompt. Claude and Copilot hand it to the model with the no.
          truth: [
            { role: "assistant", text: after, may: true }, // where the call was allowed
            { event: "interrupt", may: true },
            a === "claude" || a === "copilot" ? { ...said, may: true } : said,
            { role: "assistant", text: after },
          ],
        },
        { prompt: m.ask(), reply: [m.text(m.para(2))] },
      ],
    };
  },
  // --- what users type ---
  queued: (m, a) => ({
    chunkMs: 45,
    turns: [
      {
        prompt: m.ask(),
        reply: [m.text(m.para(6))],
        queue: [{ prompt: m.ask(), reply: [m.text(m.para(2))], send: a === "codex" ? "\t" : "\r" }],
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  // The prompt is typed while a tool runs. Claude and Codex hand it to the model with the tool's result, Gemini when the turn is over.
  queuedtools: (m, a) => {
    const late = a === "gemini" || a === "qwen";
    return {
      chunkMs: 30,
      turns: [
        {
          prompt: m.ask(),
          reply: [m.text(m.para(2)), { run: "sleep 6; echo slept", output: null }, m.text(m.para(2))],
          during: [{ streaming: 1500 }],
          queue: [{ prompt: m.ask(), send: "\r", ...(late ? { reply: [m.text(m.para(2))] } : { steers: true }) }],
          maxMs: 30000,
        },
        { prompt: m.ask(), reply: [m.text(m.para(2))] },
      ],
    };
  },
  history: m => {
    const p = m.ask();
    return {
      turns: [
        { prompt: p, reply: [m.text(m.para(2))] },
        { prompt: `${p} again`, keys: ["\x1b[A", "\x05", ..." again"], reply: [m.text(m.para(2))] },
        { prompt: `${p} again`, keys: ["\x1b[A"], reply: [m.text(m.para(3))] },
      ],
    };
  },
  rewind: (m, a) => {
    const ask = m.ask(),
      reply = m.para(2),
      turn = { prompt: m.ask(), reply: [m.text(m.para(2))] };
    return {
      turns: [
        { prompt: ask, reply: [m.text(reply)] },
        turn,
        {
          acts: ["\x1b", 100, "\x1b", 1200, "\x1b[A", 400, "\r", 1200, "\r", 1500, "\x15", 500],
          // Others than Claude need fewer keys: the last Enter sends the prompt again.
          truth:
            a !== "claude"
              ? [
                  { role: "user", text: turn.prompt, may: true },
                  { role: "assistant", text: turn.reply[0].text, may: true },
                ]
              : [],
        },
        { prompt: m.ask(), reply: [m.text(m.para(2))] },
      ],
    };
  },
  compact: (m, a) => ({
    summary: "The user asked about the cache. " + m.sentence(),
    turns: [
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
      {
        command: a === "gemini" ? "/compress" : "/compact",
        then: [3500],
        may: ["codex", "copilot", "pi"].includes(a), // Copilot and pi only say that it is done
        truth:
          a === "gemini"
            ? [
                { role: "command", text: "/compress" },
                { role: "assistant", text: "Compression was not beneficial for this history size.", may: true },
              ]
            : a === "opencode"
              ? [{ role: "assistant", text: "Test session", may: true }] // it shows what it made of the conversation
              : undefined,
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  resume: (m, a) => {
    const t = () => ({ prompt: m.ask(), reply: [m.text(m.para(3))] });
    const back = { claude: "claude --continue", codex: "codex resume --last", gemini: "gemini --resume latest" }[a];
    return {
      shell: true,
      files: FILES,
      turns: [
        { start: a },
        t(),
        { prompt: m.ask(), reply: [m.text([m.rich(), m.bullets(), m.code()].join("\n\n"))] },
        { exit: true },
        { shell: "echo between", output: "between" },
        { start: a, line: back },
        t(),
        { exit: true },
        { shell: "echo after", output: "after" },
      ],
    };
  },
  model: (m, a) => ({
    turns: [
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
      { command: "/model", then: [800], escape: true, truth: [] },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  help: (m, a) => ({
    turns: [
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
      { command: a === "codex" ? "/status" : "/help", then: [800], escape: true, truth: [] },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  overlay: (m, a) => {
    const key = { claude: "\x0f", codex: "\x14", gemini: "\x0f" }[a],
      close = { claude: "\x0f", codex: "\x14", gemini: "\x0f" }[a];
    const long = () => [m.para(4), m.bullets(), m.para(5), m.code(), m.para(4)].join("\n\n");
    return {
      files: FILES,
      turns: [
        { prompt: m.ask(), reply: [m.text(m.sentence()), { run: "seq 1 30", output: null }, m.text(long())] },
        { acts: [key, 1200, "\x1b[5~", 400, "\x1b[5~", 400, "\x1b[6~", 400, close, 1000] },
        { prompt: m.ask(), reply: [m.text(m.para(3))] },
        { acts: [key, 900, close, 900] },
        { prompt: m.ask(), reply: [m.text(long())] },
      ],
    };
  },
  overlaystream: (m, a) => {
    const key = { claude: "\x0f", codex: "\x14", gemini: "\x0f" }[a],
      close = { claude: "\x0f", codex: "\x14", gemini: "\x0f" }[a];
    const long = () => [m.para(4), m.bullets(), m.para(5), m.code(), m.para(4)].join("\n\n");
    return {
      chunkMs: 40,
      turns: [
        { prompt: m.ask(), reply: [m.text(long())], during: [1500, key, 1500, close, 500] },
        { prompt: m.ask(), reply: [m.text(m.para(3))] },
      ],
    };
  },
  wheel: m => {
    const up = "\x1b[<64;20;10M",
      dn = "\x1b[<65;20;10M";
    return {
      turns: [
        {
          prompt: m.ask(),
          reply: [
            m.text([m.para(5), m.bullets(), m.para(5), m.code(), m.para(5), m.bullets(), m.para(4)].join("\n\n")),
          ],
        },
        { acts: [{ raw: up.repeat(3) }, 300, { raw: up.repeat(5) }, 300, { raw: dn.repeat(9) }, 300] },
        { prompt: m.ask(), reply: [m.text(m.para(3))] },
        { acts: ["\x1b[5~", 300, "\x1b[5~", 300, "\x1b[5~", 300] },
        { prompt: m.ask(), reply: [m.text(m.para(3))] },
      ],
    };
  },
  wheelstream: m => {
    const up = "\x1b[<64;20;10M",
      dn = "\x1b[<65;20;10M";
    return {
      chunkMs: 25,
      turns: [
        { prompt: m.ask(), reply: [m.text(m.para(5))] },
        {
          prompt: m.ask(),
          reply: [
            m.text([m.para(5), m.bullets(), m.para(5), m.code(), m.para(5), m.bullets(), m.para(4)].join("\n\n")),
          ],
          during: [
            1200,
            { raw: up.repeat(3) },
            300,
            "\x1b[5~",
            900,
            "\x1b[5~",
            1200,
            { raw: dn.repeat(12) },
            "\x1b[6~",
            "\x1b[6~",
            "\x1b[6~",
            "\x1b[6~",
          ],
        },
        { prompt: m.ask(), reply: [m.text(m.para(3))] },
      ],
    };
  },
  bang: (m, a) => {
    const prompt = m.ask(),
      reply = m.text(m.para(2));
    return {
      files: FILES,
      turns: [
        { prompt, reply: [reply] },
        {
          acts: ["!", 300, "ls -1 README.md main.go", 300, "\r", 1500, ...(a === "gemini" ? ["\x1b", 300] : [])],
          truth: [
            { role: "bang", optional: true, text: "ls -1 README.md main.go" },
            { role: "user", text: "!ls -1 README.md main.go", may: true }, // a version without a shell of its own sends it
            { role: "assistant", text: reply.text, may: true }, // some versions ask the model about the output
          ],
        },
        { prompt: m.ask(), reply: [m.text(m.para(2))] },
      ],
    };
  },
  atfile: m => ({
    files: FILES,
    turns: [
      {
        prompt: "Look at @main.go and tell me more",
        keys: [..."Look at @main.go", " ", ..."and tell me more"],
        reply: [m.text(m.para(2))],
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  pasted: m => {
    const text = Array.from({ length: 14 }, (_, i) => `pasted line ${i + 1}: ${m.sentence()}`).join("\n");
    return {
      turns: [
        { prompt: text, paste: true, reply: [m.text(m.para(2))], truth: null },
        { prompt: m.ask(), reply: [m.text(m.para(2))] },
      ],
    };
  },
  pasted3: m => {
    const text = Array.from({ length: 3 }, (_, i) => `pasted ${i + 1}: ${m.sentence()}`).join("\n");
    return {
      turns: [
        { prompt: text, paste: true, reply: [m.text(m.para(2))] },
        { prompt: `First\n\n- one\n- two\n\n  indented line\nlast`, paste: true, reply: [m.text(m.para(2))] },
      ],
    };
  },
  longprompt: m => ({
    turns: [
      { prompt: Array.from({ length: 9 }, () => m.para(4)).join(" "), paste: true, reply: [m.text(m.para(2))] },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  planmode: (m, a) => ({
    files: FILES,
    turns: [
      { acts: ["\x1b[Z", 300, "\x1b[Z", 300] },
      { prompt: m.ask(), reply: [m.text([m.heading(), m.numbers(), m.rich()].join("\n\n"))] },
      { acts: ["\x1b[Z", 300] },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  exitplan: (m, a) => {
    const prompt = m.ask(),
      before = m.sentence(),
      plan = `## Plan\n\n1. ${m.sentence()}\n2. ${m.sentence()}\n\n- check \`main.go\``,
      after = m.para(2);
    return {
      args: { claude: ["--permission-mode", "plan"] },
      files: FILES,
      turns: [
        {
          prompt,
          reply: [m.text(before), { tool: "ExitPlanMode", input: { plan } }, m.text(after)],
          until: "proceed|Exit plan mode",
          // The call leaves no row of its own, only a notice: "User approved Claude's plan", "Exited plan mode".
          truth: [
            { role: "user", text: prompt },
            { role: "assistant", text: before },
            { role: "assistant", text: after },
          ],
        },
        ...(a === "qwen" ? [] : [{ acts: [800, "\r", 3500] }]), // it does not ask, and takes Enter for a prompt that it suggests
        { prompt: m.ask(), reply: [m.text(m.para(2))] },
      ],
    };
  },
  ask: (m, a) => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(m.sentence()),
          {
            tool: a === "qwen" ? "ask_user_question" : "AskUserQuestion",
            input: {
              questions: [
                {
                  question: "Which store should hold the cache?",
                  header: "Store",
                  multiSelect: false,
                  options: [
                    { label: "Redis", description: "A server of its own" },
                    { label: "Memory", description: "In the process" },
                  ],
                },
              ],
            },
            contains: "Which store",
            or: "Ask user 1 question", // Qwen up to 0.12
            may: a === "gemini", // knows no such tool, and says so above the reply that called it
          },
          m.text(m.para(2)),
        ],
        until: "Which store",
      },
      { acts: [900, "\x1b[B", 300, "\r", 3500] },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  // --- errors of the server ---
  retry429: m => ({
    turns: [
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
      {
        prompt: m.ask(),
        fail: [
          {
            status: 429,
            type: "rate_limit_error",
            message: "Number of requests has exceeded your rate limit",
            headers: { "retry-after": "1" },
          },
          { status: 529, type: "overloaded_error", message: "Overloaded" },
        ],
        reply: [m.text(m.para(3))],
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  fail400: m => ({
    turns: [
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
      {
        prompt: m.ask(),
        fail: [{ status: 400, type: "invalid_request_error", message: "Output blocked by content filtering policy" }],
        reply: [],
        maxMs: 6000,
        after: [{ role: "assistant", text: "ok", may: true }], // some agents ask again, and get this
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
    wanted: 2,
  }),
  cut: m => ({
    chunkMs: 40,
    turns: [
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
      { prompt: m.ask(), fail: [{ cut: 8 }], reply: [m.text(m.para(4))] },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  // --- long sessions ---
  yes: m => ({
    chunkMs: 3,
    quietMs: 500,
    turns: Array.from({ length: 60 }, (_, i) => ({
      prompt: m.of(["continue", "yes", "continue", "go on", m.ask()]),
      reply: [m.text(m.of(["Done.", "Done. The next step is ready.", m.sentence(), m.para(3)]))],
    })),
  }),
  yesresize: m => ({
    chunkMs: 3,
    quietMs: 500,
    turns: Array.from({ length: 40 }, (_, i) => [
      {
        prompt: m.of(["continue", "yes", "continue", "go on", m.ask()]),
        reply: [m.text(m.of(["Done.", "Done. The next step is ready.", m.sentence(), m.para(3)]))],
      },
      ...(i % 9 === 8
        ? [
            {
              resize: m.of([
                [72, 26],
                [120, 36],
                [100, 30],
                [90, 20],
              ]),
            },
          ]
        : []),
      ...(i === 21 ? [{ clear: true }] : []),
    ]).flat(),
  }),
  huge: m => ({
    chunkMs: 3,
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(
            Array.from({ length: 30 }, (_, i) =>
              i % 4 === 3 ? m.bullets() : i % 5 === 4 ? m.code() : i % 7 === 6 ? m.table() : m.para(4),
            ).join("\n\n"),
          ),
        ],
      },
      { resize: [78, 25] },
      {
        prompt: m.ask(),
        reply: [m.text(Array.from({ length: 24 }, (_, i) => (i % 3 === 2 ? m.numbers() : m.para(4))).join("\n\n"))],
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  storm: m => ({
    chunkMs: 25,
    turns: [
      { prompt: m.ask(), reply: [m.text(m.para(3))] },
      {
        prompt: m.ask(),
        reply: [m.text([m.para(5), m.bullets(), m.para(5), m.code(), m.para(4)].join("\n\n"))],
        during: [
          900,
          ...Array.from({ length: 14 }, (_, i) => ({ resize: [60 + ((i * 17) % 60), 18 + ((i * 5) % 20)], ms: 120 })),
          { resize: [100, 30] },
        ],
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  // --- Markdown that is hard ---
  mdlists: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              m.sentence(),
              `1. ${m.sentence()}\n   - ${m.sentence()}\n     - ${m.sentence()}\n     - short\n   - ${m.sentence()}\n2. Second step:\n\n   ${F}go\n   func a() {\n   \treturn\n   }\n   ${F}\n\n3. ${m.sentence()}`,
              m.sentence(),
              `7. ${m.sentence()}\n8. ${m.sentence()}\n9. ${m.sentence()}`,
            ].join("\n\n"),
          ),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              m.sentence(),
              `- [ ] open task\n- [x] done task`,
              `- item one\n\n  A second paragraph of it. ${m.sentence()}\n\n- item two`,
              m.sentence(),
            ].join("\n\n"),
          ),
        ],
      },
    ],
  }),
  mdheads: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text([1, 2, 3, 4, 5, 6].map(l => `${"#".repeat(l)} Level ${l} heading\n\n${m.sentence()}`).join("\n\n")),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              m.sentence(),
              "---",
              m.sentence(),
              `> ${m.sentence()} ${m.sentence()}\n>\n> - ${m.sentence()}\n> - quoted two`,
              m.sentence(),
            ].join("\n\n"),
          ),
        ],
      },
    ],
  }),
  mdtables: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              m.sentence(),
              `| Option | What it does | Default |\n| :--- | :---: | ---: |\n| \`--max-conns=64\` | ${m.sentence()} ${m.sentence()} | 64 |\n| \`user_id\` | **bold** and \`code\` words | none |\n| λ 缓存 | 状态 通过 | 128 |`,
              m.sentence(),
            ].join("\n\n"),
          ),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              `| A | B | C | D | E | F |\n|---|---|---|---|---|---|\n| ${m.sentence()} | ${m.sentence()} | 3 | ${m.sentence()} | x | y |\n| 1 | | 3 | 4 | | 6 |`,
              m.sentence(),
            ].join("\n\n"),
          ),
        ],
      },
    ],
  }),
  mdcode: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              m.sentence(),
              `${F}diff\n--- a/main.go\n+++ b/main.go\n@@ -1,3 +1,3 @@\n-old line\n+new line\n context\n${F}`,
              m.sentence(),
              `${F}\n┌──────┬──────┐\n│ a    │ b    │\n├──────┼──────┤\n│ 1    │ 2    │\n└──────┴──────┘\n${F}`,
              m.sentence(),
            ].join("\n\n"),
          ),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              m.sentence(),
              `${F}\`md\n# Title\n\n${F}js\nlet a = 1;\n${F}\n${F}\``,
              m.sentence(),
              `${F}python\nclass A:\n\n    def f(self):\n        x = "${"a long string that wraps over the edge of the window ".repeat(4).trim()}"\n\n\n        return x\n${F}`,
              m.sentence(),
            ].join("\n\n"),
          ),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              `${F}\n$ npm test\n> shop@1.0.0 test\n> node --test\n\n❯ ok\n${F}`,
              m.sentence(),
              `${F}make\nall:\n\tgo build ./...\n\n\tgo vet ./...\n${F}`,
            ].join("\n\n"),
          ),
        ],
      },
    ],
  }),
  mdinline: (m, a) => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              `Use the \`<div class="x">\` tag, the price $5 and a_b_c or 2 + 3 = 5; ${m.sentence()}`,
              `Both **bold \`code\` inside** and *it*; gone words stay. ${m.sentence()}`,
              `A path C:\\Users\\dev\\file.txt is there. ${m.sentence()}`,
              `Names like a_b_c and x__y and dunder names remain. ${m.sentence()}`,
            ].join("\n\n"),
          ),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              `See ${a === "codex" ? "[the guide](https://example.test/guide)" : "[the guide](https://example.test/guide)"} for more. ${m.sentence()}`,
              `<details>\n<summary>More</summary>\n\n${m.sentence()}\n\n</details>`,
              m.sentence(),
            ].join("\n\n"),
          ),
        ],
      },
    ],
  }),
  scripts: m => ({
    turns: [
      {
        prompt: "שלום מה שלומך היום",
        reply: [
          m.text(
            [
              "מטמון המערכת עודכן ויש להריץ את הבדיקות שוב כדי לוודא שהכול תקין לפני הפריסה הבאה של השירות.",
              "تم تحديث ذاكرة التخزين المؤقت ويجب تشغيل الاختبارات مرة أخرى للتأكد من أن كل شيء يعمل.",
            ].join("\n\n"),
          ),
        ],
      },
      {
        prompt: "สวัสดี ช่วยตรวจสอบแคชให้หน่อย",
        reply: [
          m.text(
            [
              "แคชได้รับการอัปเดตแล้ว กรุณารันการทดสอบอีกครั้งเพื่อให้แน่ใจว่าทุกอย่างทำงานได้ถูกต้อง",
              "कैश अपडेट हो गया है, कृपया परीक्षण फिर से चलाएँ ताकि सब कुछ ठीक से काम करे।",
            ].join("\n\n"),
          ),
        ],
      },
      {
        prompt: "请用中文解释缓存为什么会丢失这一行",
        reply: [
          m.text(
            [
              "缓存失效的原因是配置加载器在磁盘较慢的时候会跳过校验步骤，于是旧的快照被当作新的数据返回给调用者，直到下一次滚动部署才会重新建立索引并且写入日志。".repeat(
                2,
              ),
              "家族 👨‍👩‍👧‍👦 と旗 🇯🇵🇩🇪 と 👍🏽 と ❤️ と 1️⃣ です。",
              "ㄱㄴㄷ 한글 조합형: 각 문장이 화면 끝에서 줄바꿈될 때에도 정확하게 기록되어야 하며 단어가 잘리지 않아야 합니다.",
            ].join("\n\n"),
          ),
        ],
      },
    ],
  }),
  mimic: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              m.sentence(),
              `❯ ${m.sentence()}`,
              `› ${m.sentence()}`,
              `● ${m.sentence()}`,
              `• ${m.sentence()}`,
              `✦ ${m.sentence()}`,
              `⎿ ${m.sentence()}`,
              `└ ${m.sentence()}`,
              m.sentence(),
            ].join("\n\n"),
          ),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              m.sentence(),
              `Bash(ls -la)`,
              `✻ Cooked for 5s`,
              `* Zesting… (1s · esc to interrupt)`,
              `Interrupted by user`,
              `Ran 1 shell command`,
              `? for shortcuts`,
              `/clear`,
              `Token usage: total=1`,
              m.sentence(),
            ].join("\n\n"),
          ),
        ],
      },
      { prompt: "/tmp/x is a path, not a command", reply: [m.text(m.sentence())] },
      { prompt: "● is this mine?", reply: [m.text(m.sentence())] },
    ],
  }),
};
const DIAGRAM =
  "┌──────────┐      ┌──────────┐\n│  Client  │─────▶│  Server  │\n└────┬─────┘      └────┬─────┘\n     │                 │\n     ▼                 ▼\n┌──────────┐      ┌──────────┐\n│  Cache   │◀────▶│    DB    │\n└──────────┘      └──────────┘";
const TREE = "src/\n├── main.go\n├── cache/\n│   ├── cache.go\n│   └── cache_test.go\n└── README.md";
const ASCII =
  "+--------+-------+\n| name   | count |\n+--------+-------+\n| apples |    12 |\n| pears  |     7 |\n+--------+-------+";
ADV.diagram = m => ({
  turns: [
    {
      prompt: m.ask(),
      reply: [
        m.text(
          [m.sentence(), `${F}\n${DIAGRAM}\n${F}`, m.sentence(), `${F}\n${TREE}\n${F}`, m.sentence()].join("\n\n"),
        ),
      ],
    },
    {
      prompt: m.ask(),
      reply: [
        m.text(
          [
            m.sentence(),
            `${F}text\n${ASCII}\n${F}`,
            m.sentence(),
            `${F}\n┌────┬────┐\n│ a  │ b  │\n├────┼────┤\n│ 1  │ 2  │\n└────┴────┘\n${F}`,
            m.sentence(),
          ].join("\n\n"),
        ),
      ],
    },
  ],
});
// the window's edge is dragged while nothing streams, after some conversation
ADV.drag = m => ({
  turns: [
    { prompt: m.ask(), reply: [m.text([m.para(4), m.bullets()].join("\n\n"))] },
    { prompt: m.ask(), reply: [m.text([m.para(5), m.code(), m.para(2)].join("\n\n"))] },
    {
      acts: [
        ...Array.from({ length: 18 }, (_, i) => ({ resize: [100 - 3 * (i < 9 ? i : 18 - i), 30], ms: 60 })),
        { resize: [100, 30] },
      ],
    },
    { prompt: m.ask(), reply: [m.text(m.para(2))] },
    {
      acts: [
        ...Array.from({ length: 10 }, (_, i) => ({ resize: [100, 30 - (i < 5 ? i : 10 - i) * 3], ms: 80 })),
        { resize: [90, 28] },
      ],
    },
    { prompt: m.ask(), reply: [m.text(m.para(3))] },
  ],
});
ADV.pastedlog = m => ({
  turns: [
    { prompt: m.ask(), reply: [m.text(m.para(2))] },
    {
      prompt:
        "Why does this fail?\n" +
        Array.from(
          { length: 45 },
          (_, i) =>
            `12:00:${String(i).padStart(2, "0")} worker ${i % 7} ${m.of(["started", "stopped", "failed with code 3", "retries in 5s"])}`,
        ).join("\n"),
      paste: true,
      reply: [m.text(m.para(2))],
    },
    { prompt: m.ask(), reply: [m.text(m.para(2))] },
  ],
});
// a table taller than the window
ADV.bigtable = m => ({
  turns: [
    {
      prompt: m.ask(),
      reply: [
        m.text(
          [
            m.sentence(),
            `| Name | Count | Note |\n| --- | --- | --- |\n${Array.from({ length: 26 }, (_, i) => `| row${i + 1}${"x".repeat(i % 5)} | ${m.int(1, 999)} | ${m.of(["the session map", "an unbounded queue that grows", "two rows", "the write-ahead log"])} |`).join("\n")}`,
            m.sentence(),
          ].join("\n\n"),
        ),
      ],
    },
    { prompt: m.ask(), reply: [m.text(m.para(2))] },
  ],
});
// code taller than the window
ADV.bigcode = m => ({
  turns: [
    {
      prompt: m.ask(),
      reply: [
        m.text(
          [
            m.sentence(),
            F +
              "python\n" +
              Array.from({ length: 60 }, (_, i) =>
                i % 6 === 0
                  ? `def step_${i}(items):`
                  : i % 6 === 5
                    ? ""
                    : i % 6 === 4
                      ? "    return items"
                      : `    items.append(${i})  # ${m.of(["keep it", "● note", "> see below", "- a dash", "1. one"])}`,
              ).join("\n") +
              "\n" +
              F,
            m.sentence(),
          ].join("\n\n"),
        ),
      ],
    },
    { prompt: m.ask(), reply: [m.text(m.para(2))] },
  ],
});
ADV.mdfence = m => ({
  turns: [
    {
      prompt: m.ask(),
      reply: [
        m.text(
          [
            m.sentence(),
            `${F}markdown\n# Shop\n\nA small **shop** service.\n\n## Usage\n\n- run \`make\`\n- see the [docs](docs.md)\n\n1. first\n2. second\n\n> a quote\n${F}`,
            m.sentence(),
          ].join("\n\n"),
        ),
      ],
    },
    {
      prompt: m.ask(),
      reply: [
        m.text(
          [
            m.sentence(),
            `${F}html\n<div class="a">\n  <p>Hello</p>\n</div>\n${F}`,
            m.sentence(),
            `${F}css\n.a > p {\n  color: #fff;\n}\n${F}`,
            `${F}xml\n<?xml version="1.0"?>\n<a b="c">d</a>\n${F}`,
          ].join("\n\n"),
        ),
      ],
    },
    {
      prompt: m.ask(),
      reply: [
        m.text(
          [
            m.sentence(),
            `${F}\n2026-11-22 01:02:03 ERROR db: connection lost after 30s (attempt 3 of 5), giving up on shard eu-west-1b and all of its replicas\n  at connect (db.go:42)\n  at main (main.go:7)\n\n- not a list\n1. not a list either\n# not a heading\n> not a quote\n| not | a table |\n${F}`,
            m.sentence(),
          ].join("\n\n"),
        ),
      ],
    },
  ],
});
ADV.insight = m => ({
  turns: [
    {
      prompt: m.ask(),
      reply: [
        m.text(
          [
            m.sentence(),
            `\`★ Insight ─────────────────────────────────────\`\n- ${m.sentence()}\n- ${m.sentence()}\n\`─────────────────────────────────────────────────\``,
            m.sentence(),
          ].join("\n\n"),
        ),
      ],
    },
    {
      prompt: m.ask(),
      reply: [
        m.text(
          [
            `✅ **Fixed:** ${m.sentence()}`,
            `⚠️ **Warning:** ${m.sentence()}`,
            `❌ ${m.sentence()}`,
            `**Files changed:**\n- \`main.go\` — ${m.sentence()}\n- \`README.md:12-15\` — short`,
            "Want me to go on?",
          ].join("\n\n"),
        ),
      ],
    },
  ],
});
ADV.manytools = m => ({
  files: FILES,
  quietMs: 1500,
  turns: [
    {
      prompt: m.ask(),
      maxMs: 90000,
      reply: Array.from({ length: 22 }, (_, i) => [
        ...(i % 3 === 0 ? [m.text(m.sentence())] : []),
        i % 4 === 1
          ? { read: "main.go" }
          : i % 4 === 2
            ? { edit: "big.txt", old: `line ${i + 1} of the settings`, new: `line ${i + 1} of the options` }
            : { run: `echo step ${i}`, output: null },
      ])
        .flat()
        .concat([m.text(m.para(3))]),
    },
    { prompt: m.ask(), reply: [m.text(m.para(2))] },
  ],
});
// replies that begin with something else than a paragraph
ADV.starts = m => ({
  turns: [
    { prompt: m.ask(), reply: [m.text([m.code(), m.sentence()].join("\n\n"))] },
    { prompt: m.ask(), reply: [m.text([m.table(), m.sentence()].join("\n\n"))] },
    { prompt: m.ask(), reply: [m.text([m.heading(), m.sentence()].join("\n\n"))] },
    { prompt: m.ask(), reply: [m.text([m.bullets(), m.sentence()].join("\n\n"))] },
    { prompt: m.ask(), reply: [m.text([m.numbers(), m.sentence()].join("\n\n"))] },
    { prompt: m.ask(), reply: [m.text([m.quote(), m.sentence()].join("\n\n"))] },
    { prompt: m.ask(), reply: [m.text(`**Done.** ${m.sentence()}`)] },
    { prompt: m.ask(), reply: [m.text(m.code())] },
  ],
});
ADV.short = m => ({
  turns: ["OK", "Yes.", "42", "Done ✅", "`yes`", "1", "...", "👍", "No", "- one", "1. one"].map(x => ({
    prompt: m.of(["ok?", "y", m.ask(), "1", "no"]),
    reply: [m.text(x)],
  })),
});
ADV.clearmid = m => {
  const t = () => ({ prompt: m.ask(), reply: [m.text(m.para(m.int(1, 5)))] });
  return {
    turns: [
      t(),
      t(),
      t(),
      t(),
      t(),
      { clear: true },
      t(),
      t(),
      { resize: [80, 24] },
      t(),
      { clear: true },
      t(),
      { prompt: "yes", reply: [m.text("Done.")] },
      { prompt: "yes", reply: [m.text("Done.")] },
    ],
  };
};
// what is written from right to left
ADV.rtl = m => ({
  turns: [
    {
      prompt: "הסבר לי מדוע המטמון לא מתעדכן אחרי הפריסה",
      reply: [
        m.text(
          [
            "המטמון נמחק רק כאשר השירות מופעל מחדש, ולכן הערכים הישנים נשארים בזיכרון עד הפריסה הבאה.",
            "- ראשית יש לבדוק את `cache.Get` בקוד\n- אחר כך להריץ את **הבדיקות** שוב\n- ולבסוף לפרוס לסביבת הייצור עם הגדרה חדשה שמאריכה את זמן התפוגה של כל רשומה",
            "1. שלב ראשון\n2. שלב שני עם main.go:42 באמצע המשפט",
          ].join("\n\n"),
        ),
      ],
    },
    {
      prompt: "اشرح لماذا لا يتم تحديث الذاكرة المؤقتة",
      reply: [
        m.text(
          [
            "يتم مسح الذاكرة المؤقتة فقط عند إعادة تشغيل الخدمة، ولذلك تبقى القيم القديمة حتى النشر التالي، ويمكن التحقق من ذلك في السجلات.",
            "العَرَبِيَّةُ مع التشكيل الكامل: ذَهَبَ الوَلَدُ إِلَى المَدْرَسَةِ.",
            m.code(),
            "انتهى العمل.",
          ].join("\n\n"),
        ),
      ],
    },
  ],
});
ADV.turns200 = m => ({
  chunkMs: 1,
  quietMs: 250,
  turns: Array.from({ length: 200 }, (_, i) => ({
    prompt: i % 5 ? `${m.of(["continue", "yes", "go on"])} ${i}` : m.ask(),
    reply: [m.text(i % 9 === 4 ? m.bullets() : i % 11 === 3 ? m.code() + "\n\n" + m.sentence() : m.para(m.int(1, 3)))],
  })),
});
// a line that begins with "#": once a note for the memory, now a prompt
ADV.memory = m => {
  const said = m.para(2);
  return {
    turns: [
      { prompt: m.ask(), reply: [m.text(said)] },
      {
        acts: ["#", 300, " always use tabs in this project", 300, "\r", 1500, "\r", 2500],
        truth: [
          { role: "user", text: "# always use tabs in this project", may: true },
          { role: "assistant", text: said, may: true },
        ],
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  };
};
// windows of agents behind an API, which never scroll
ADV.tallall = m => ({
  files: { "main.go": "package main\n" },
  turns: [
    {
      prompt: m.ask(),
      reply: [
        m.text(m.sentence()),
        { run: "seq 1 30", output: null },
        m.text([m.para(4), m.bullets(), m.code(), m.table()].join("\n\n")),
      ],
    },
    {
      prompt: `Look at this:\n${Array.from({ length: 30 }, (_, i) => `row ${i} of the log`).join("\n")}`,
      paste: true,
      reply: [m.text(m.para(4))],
    },
    { prompt: m.ask(), reply: [{ read: "main.go" }, m.text(m.rich())] },
  ],
});
// a picture: its file dragged into the terminal, which pastes the path, or named in the prompt
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAACAAAAAUCAIAAABj86gYAAAAIElEQVR42mNQSFhAU8QwasGoBaMWjFowasGoBaMWEIMAh13QHwk3LKkAAAAASUVORK5CYII=";
ADV.images = (m, a) => {
  const ask = m.ask(),
    reply = m.para(2),
    label = a === "gemini" ? "[Image shot.png]" : "[Image #1]";
  return {
    files: { "shot.png": Buffer.from(PNG, "base64") },
    turns: [
      {
        prompt: ask,
        keys: [`\x1b[200~${H}/shop/shot.png\x1b[201~`, " ", ...ask],
        reply: [m.text(reply)],
        truth: [
          { role: "user", text: `${label} ${ask}`, or: `${a === "gemini" ? "@" : ""}${H}/shop/shot.png ${ask}` }, // Codex 0.169 and Gemini 0.20 keep the path
          ...(a === "gemini" ? [{ role: "tool", op: "read", contains: "shot.png", output: null, may: true }] : []), // above the prompt in 0.20
          { role: "assistant", text: reply },
        ],
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  };
};
