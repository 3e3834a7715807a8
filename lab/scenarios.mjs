// Makes scenarios: what the user types, what the model answers, how the terminal changes.
// Every scenario is a function of (kind, seed, agent), so any number of them can be made.

function rng(seed) {
  let a = (seed * 2654435761) >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const SUBJ = [
  "The parser",
  "Our cache",
  "This handler",
  "The scheduler",
  "Each worker",
  "The migration",
  "A retry loop",
  "The config loader",
  "That index",
  "The test suite",
  "Every request",
  "The lock file",
  "A stale token",
  "The build step",
  "Your query",
  "The event loop",
];
const VERB = [
  "drops",
  "rebuilds",
  "validates",
  "skips",
  "duplicates",
  "flushes",
  "ignores",
  "rewrites",
  "locks",
  "exposes",
  "batches",
  "truncates",
  "normalizes",
  "races with",
  "shadows",
  "invalidates",
];
const OBJ = [
  "the session map",
  "two stale rows",
  "an unbounded queue",
  "the error path",
  "every header",
  "the last page",
  "a nil pointer",
  "the retry budget",
  "old snapshots",
  "the write-ahead log",
  "the user record",
  "a shared buffer",
  "the timeout",
  "three tables",
  "the checksum",
  "its own output",
];
const TAIL = [
  "when the disk is slow",
  "before the lock is held",
  "after a reconnect",
  "on every second call",
  "without checking the result",
  "if the file is empty",
  "during a rolling deploy",
  "so nothing is lost",
  "which hides the real cause",
  "and then exits early",
  "under heavy load",
  "only on ARM",
  "as the log shows",
  "because the default changed",
  "even with caching off",
  "at midnight UTC",
];
const ASK = [
  "Explain why",
  "Check whether",
  "Find out how",
  "Tell me when",
  "Show where",
  "Summarize how",
  "Is it true that",
  "Describe how",
];
const HEAD = [
  "Root cause",
  "What changed",
  "Next steps",
  "Trade-offs",
  "How to verify",
  "Background",
  "Summary",
  "Risks",
  "Proposed fix",
  "Open questions",
];
const CODE = [
  [
    "go",
    "func (c *Cache) Get(key string) (Item, bool) {\n\tc.mu.RLock()\n\tdefer c.mu.RUnlock()\n\titem, ok := c.items[key]\n\treturn item, ok\n}",
  ],
  [
    "python",
    "def retry(fn, attempts=3):\n    for n in range(attempts):\n        try:\n            return fn()\n        except TimeoutError as err:\n            if n == attempts - 1:\n                raise err\n            time.sleep(2 ** n)",
  ],
  [
    "ts",
    'export async function load(id: string): Promise<Order | null> {\n  const row = await db.get("select * from orders where id = ?", id);\n  if (!row) return null;\n  return { ...row, total: row.qty * row.price };\n}',
  ],
  ["bash", 'set -euo pipefail\nfor f in logs/*.gz; do\n  gunzip -c "$f" | grep -c ERROR\ndone'],
  [
    "sql",
    "SELECT user_id, count(*) AS n\nFROM events\nWHERE ts > now() - interval '1 day'\nGROUP BY user_id\nHAVING count(*) > 10;",
  ],
  ["json", '{\n  "name": "shop",\n  "retries": 3,\n  "hosts": ["a.internal", "b.internal"],\n  "debug": false\n}'],
  [
    "rust",
    "impl Drop for Guard<'_> {\n    fn drop(&mut self) {\n        self.lock.store(false, Ordering::Release);\n    }\n}",
  ],
  [
    "yaml",
    'services:\n  api:\n    image: shop:1.4\n    ports: ["8080:8080"]\n    environment:\n      - LOG_LEVEL=debug',
  ],
];
const UNI = [
  "缓存已经更新，请重新运行测试。",
  "テストはすべて成功しました。",
  "한국어 문장도 정확히 기록되어야 합니다.",
  "Größenänderung während der Ausgabe",
  "Ça marche très bien, señor",
  "Проверка завершена успешно",
  "naïve café résumé",
  "状态: ✅ 通过 / ❌ 失败",
  "🚀 deploy done 🎉",
  "数据库连接数 = 128",
  "λ → μ ≤ π ≈ 3.14",
  "👩‍💻 wrote it, 👍 reviewed",
  "ελληνικά και ω",
];
const IDENT = [
  "cache.Get",
  "load_config",
  "OrderService",
  "retry()",
  "--max-conns=64",
  "ERR_TIMEOUT",
  "user_id",
  "main.go:42",
  "SIGTERM",
  "GOMAXPROCS",
];

export class Maker {
  constructor(seed) {
    this.r = rng(seed);
  }
  int(a, b) {
    return a + Math.floor(this.r() * (b - a + 1));
  }
  of(list) {
    return list[Math.floor(this.r() * list.length)];
  }
  sentence() {
    return `${this.of(SUBJ)} ${this.of(VERB)} ${this.of(OBJ)} ${this.of(TAIL)}.`;
  }
  ask() {
    return `${this.of(ASK)} ${this.of(SUBJ).toLowerCase()} ${this.of(VERB)} ${this.of(OBJ)}`;
  }
  para(n = this.int(2, 4)) {
    return Array.from({ length: n }, () => this.sentence()).join(" ");
  }
  span() {
    const k = this.int(0, 3),
      id = this.of(IDENT);
    return k === 0 ? `\`${id}\`` : k === 1 ? `**${this.of(OBJ)}**` : k === 2 ? `*${this.of(TAIL)}*` : `\`${id}\``;
  }
  rich() {
    return `${this.of(SUBJ)} ${this.of(VERB)} ${this.span()} ${this.of(TAIL)}; see ${this.span()} too.`;
  }
  bullets(n = this.int(3, 5)) {
    return Array.from({ length: n }, () => `- ${this.sentence()}`).join("\n");
  }
  nested() {
    return `- ${this.sentence()}\n  - ${this.sentence()}\n  - ${this.sentence()}\n- ${this.sentence()}`;
  }
  numbers(n = this.int(3, 5)) {
    return Array.from({ length: n }, (_, i) => `${i + 1}. ${this.sentence()}`).join("\n");
  }
  code() {
    const [lang, text] = this.of(CODE);
    return "```" + lang + "\n" + text + "\n```";
  }
  table() {
    const rows = Array.from(
      { length: this.int(2, 4) },
      (_, i) => `| ${this.of(IDENT)} | ${this.int(1, 999)} | ${this.of(OBJ)} |`,
    );
    return `| Name | Count | Note |\n| --- | --- | --- |\n${rows.join("\n")}`;
  }
  quote() {
    return `> ${this.sentence()}`;
  }
  heading(l = 2) {
    return `${"#".repeat(l)} ${this.of(HEAD)}`;
  }
  text(s) {
    return { text: s };
  }
}

const FILES = {
  "main.go":
    'package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("shop", version())\n}\n\nfunc version() string { return "1.4.0" }\n',
  "README.md": "# shop\n\nA small shop service.\n",
  "config/app.yaml": "port: 8080\nlog: info\n",
};

/** kind -> (maker, agent) -> scenario without its name */
export const KINDS = {
  basic: m => ({ turns: [1, 2, 3].map(() => ({ prompt: m.ask(), reply: [m.text(m.para())] })) }),
  paragraphs: m => ({
    turns: [1, 2].map(() => ({ prompt: m.ask(), reply: [m.text([m.para(4), m.para(5), m.para(3)].join("\n\n"))] })),
  }),
  markdown: m => ({
    turns: [
      { prompt: m.ask(), reply: [m.text([m.rich(), m.bullets(), m.code(), m.rich()].join("\n\n"))] },
      {
        prompt: m.ask(),
        reply: [m.text([m.heading(), m.rich(), m.numbers(), m.heading(3), m.nested(), m.quote()].join("\n\n"))],
      },
      { prompt: m.ask(), reply: [m.text([m.sentence(), m.code(), m.sentence(), m.code(), m.rich()].join("\n\n"))] },
    ],
  }),
  table: m => ({
    turns: [
      { prompt: m.ask(), reply: [m.text([m.sentence(), m.table(), m.rich()].join("\n\n"))] },
      { prompt: m.ask(), reply: [m.text([m.heading(), m.table(), m.sentence(), m.table()].join("\n\n"))] },
    ],
  }),
  long: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(
            Array.from({ length: 14 }, (_, i) => (i % 4 === 3 ? m.bullets() : i % 5 === 4 ? m.code() : m.para(4))).join(
              "\n\n",
            ),
          ),
        ],
      },
      { prompt: m.ask(), reply: [m.text(m.para())] },
    ],
  }),
  stream: m => ({
    chunkMs: 4,
    turns: [
      {
        prompt: "Print the numbered log",
        reply: [
          m.text(
            Array.from({ length: 220 }, (_, i) => `${i + 1}. ${m.of(SUBJ)} ${m.of(VERB)} ${m.of(OBJ)}`).join("\n"),
          ),
        ],
      },
      { prompt: m.ask(), reply: [m.text(m.sentence())] },
    ],
  }),
  unicode: m => ({
    turns: [1, 2, 3].map(() => ({
      prompt: m.of(UNI) + " " + m.ask(),
      reply: [
        m.text(
          [
            m.of(UNI),
            m.sentence() + " " + m.of(UNI) + " " + m.of(UNI),
            `- ${m.of(UNI)}\n- ${m.of(UNI)}\n- ${m.of(UNI)} ${m.of(UNI)}`,
          ].join("\n\n"),
        ),
      ],
    })),
  }),
  tools: m => ({
    files: FILES,
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(m.sentence()),
          { run: "ls -1", output: "README.md" },
          m.text(m.para(2)),
          { run: "wc -l main.go README.md", output: "total" },
          m.text(m.para()),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          { read: "main.go" },
          m.text(m.para(2)),
          { run: 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "row $i"; done', output: "row 1" },
          m.text(m.rich()),
        ],
      },
    ],
  }),
  edits: m => ({
    files: FILES,
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(m.sentence()),
          { read: "main.go" },
          {
            edit: "main.go",
            old: 'func version() string { return "1.4.0" }',
            new: 'func version() string { return "1.5.0" }',
            output: "1.5.0",
          },
          m.text(m.para()),
        ],
      },
      {
        prompt: m.ask(),
        reply: [
          { write: "notes/todo.md", content: "# Todo\n\n- check the cache\n- add a test\n", output: "check the cache" },
          m.text(m.bullets()),
        ],
      },
    ],
  }),
  approve: m => ({
    approvals: true,
    files: FILES,
    turns: [
      {
        prompt: m.ask(),
        approve: true,
        reply: [
          m.text(m.sentence()),
          { run: "touch made.txt && echo made it", ask: "May I create the file?", output: null },
          m.text(m.para()),
        ],
      },
      { prompt: m.ask(), reply: [m.text(m.para())] },
    ],
  }),
  resize: m => ({
    turns: [
      { prompt: m.ask(), reply: [m.text([m.para(4), m.bullets()].join("\n\n"))] },
      { resize: [72, 26] },
      { prompt: m.ask(), reply: [m.text(m.para(5))] },
      { resize: [120, 36] },
      { prompt: m.ask(), reply: [m.text([m.para(3), m.code()].join("\n\n"))] },
    ],
  }),
  resizestream: m => ({
    turns: [
      { prompt: m.ask(), resizeDuring: [84, 28], reply: [m.text([m.para(5), m.bullets(), m.para(4)].join("\n\n"))] },
      { prompt: m.ask(), resizeDuring: [110, 34], reply: [m.text([m.para(4), m.code(), m.para(2)].join("\n\n"))] },
    ],
  }),
  clear: m => {
    const p = m.ask(),
      a = m.para();
    return {
      turns: [
        { prompt: p, reply: [m.text(a)] },
        { prompt: m.ask(), reply: [m.text(m.para())] },
        { clear: true },
        { prompt: p, reply: [m.text(a)] },
        { prompt: m.ask(), reply: [m.text(m.para())] },
      ],
    };
  },
  repeat: m => {
    const p = "continue",
      a = "Done. " + m.sentence();
    return {
      turns: [
        { prompt: p, reply: [m.text(a)] },
        { prompt: p, reply: [m.text(a)] },
        { prompt: p, reply: [m.text(a)] },
        { prompt: m.ask(), reply: [m.text(m.sentence())] },
        { prompt: p, reply: [m.text(a)] },
      ],
    };
  },
  interrupt: m => ({
    chunkMs: 60,
    turns: [
      { prompt: m.ask(), reply: [m.text(m.para())] },
      { prompt: m.ask(), interruptMs: 3500, reply: [m.text([m.para(6), m.para(6)].join("\n\n"))] },
      { prompt: m.ask(), reply: [m.text(m.para())] },
    ],
  }),
  lookalike: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [
          m.text(
            [
              m.sentence(),
              "```\n> not a prompt\n❯ nor this\n› nor that\n● a fake bullet\n• another one\n✦ a star\n⎿ a corner\n╭────────╮\n│ boxed  │\n╰────────╯\n```",
              m.sentence(),
            ].join("\n\n"),
          ),
        ],
      },
      {
        prompt: "> quoted start, is this still my prompt?",
        reply: [m.text(["> " + m.sentence(), m.sentence(), "- • dot\n- ● disc\n- ✦ star"].join("\n\n"))],
      },
      { prompt: "Say ● exactly", reply: [m.text("● exactly. " + m.sentence())] },
    ],
  }),
  multiline: m => ({
    turns: [
      { prompt: `${m.ask()}\n${m.sentence()}\n${m.sentence()}`, reply: [m.text(m.para())] },
      { prompt: [m.para(5), m.para(4)].join(" "), reply: [m.text(m.sentence())] },
      { prompt: m.sentence(), paste: true, reply: [m.text(m.para(2))] },
    ],
  }),
  longtokens: m => ({
    turns: [
      {
        prompt:
          "Check https://example.test/a/very/long/path/that/will/surely/wrap/over/the/edge/of/the/terminal/window?with=query&and=more&id=" +
          m.int(1000, 9999),
        reply: [
          m.text(
            `See https://example.test/${Array.from({ length: 18 }, () => m.of(IDENT).replace(/\W/g, "")).join("/")} for details. ${m.sentence()}`,
          ),
          m.text,
        ].slice(0, 1),
      },
      {
        prompt: m.ask(),
        reply: [
          m.text(`Hash: ${Array.from({ length: 150 }, () => "0123456789abcdef"[m.int(0, 15)]).join("")} ends here.`),
        ],
      },
    ],
  }),
  editing: m => ({
    turns: [
      {
        prompt: "fix the cache now",
        keys: [..."fix teh", "\x7f", "\x7f", "\x7f", ..."the cahce", "\x7f", "\x7f", "\x7f", "\x7f", ..."ache now"],
        reply: [m.text(m.para())],
      },
      { prompt: "list all open bugs", keys: [..."all open bugs", "\x01", ..."list "], reply: [m.text(m.para(2))] },
      { prompt: m.ask(), reply: [m.text(m.sentence())] },
    ],
  }),
  thinking: m => ({
    turns: [
      { prompt: m.ask(), reply: [{ thinking: m.para(3) }, m.text(m.para())] },
      { prompt: m.ask(), reply: [{ thinking: m.para(2) }, m.text(m.bullets())] },
    ],
  }),
  scroll: m => ({
    turns: [
      {
        prompt: m.ask(),
        reply: [m.text([m.para(5), m.bullets(), m.para(5), m.code(), m.para(5), m.bullets(), m.para(4)].join("\n\n"))],
      },
      { key: "\x1b[5~" },
      { key: "\x1b[5~" },
      { key: "\x1b[6~" },
      { key: "\x1b[6~" },
      { prompt: m.ask(), reply: [m.text(m.para())] },
      { key: "\x1b[5~" },
      { key: "\x1b[6~" },
      { prompt: m.ask(), reply: [m.text(m.para())] },
    ],
  }),
  slash: (m, agent) => ({
    turns: [
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
      {
        command: {
          claude: "/context",
          codex: "/status",
          copilot: "/usage",
          gemini: "/about",
          kilo: "/status",
          opencode: "/status",
          pi: "/session",
          qwen: "/about",
        }[agent],
        may: ["qwen", "copilot", "pi"].includes(agent), // some versions show what it prints, and not the command
      },
      { prompt: m.ask(), reply: [m.text(m.para(2))] },
    ],
  }),
  turns: m => ({
    chunkMs: 4,
    quietMs: 700,
    turns: Array.from({ length: 25 }, () => ({ prompt: m.ask(), reply: [m.text(m.para(m.int(1, 4)))] })),
  }),
  shell: (m, agent) => ({
    shell: true,
    files: FILES,
    turns: [
      { shell: "echo before the agent", output: "before the agent" },
      { start: agent },
      { prompt: m.ask(), reply: [m.text(m.para())] },
      { exit: true },
      { shell: "cat README.md", output: "A small shop service." },
      { start: agent },
      { prompt: m.ask(), reply: [m.text(m.para())] },
      { exit: true },
      { shell: "echo after", output: "after" },
    ],
  }),
  shellclear: (m, agent) => ({
    shell: true,
    turns: [
      { start: agent },
      { prompt: m.ask(), reply: [m.text(m.para())] },
      { exit: true },
      { shell: "clear" },
      { start: agent },
      { prompt: m.ask(), reply: [m.text(m.para(4))] },
      { exit: true },
      { shell: "echo bye", output: "bye" },
    ],
  }),
  agents: (m, agent) => {
    const others = ["claude", "codex", "gemini"].filter(a => a !== agent);
    return {
      shell: true,
      turns: [agent, ...others].flatMap(a => [
        { start: a },
        { prompt: m.ask(), reply: [m.text(m.para())] },
        { exit: true },
        { shell: `echo left ${a}`, output: `left ${a}` },
      ]),
    };
  },
};
import { corpus, corpuschat } from "./corpus.mjs";
import { ADV } from "./hard.mjs";
Object.assign(KINDS, ADV, { corpus, corpuschat });
KINDS.narrow = KINDS.markdown;
KINDS.wide = KINDS.markdown;
const SIZE = { narrow: [64, 22], resize: [100, 30], wide: [180, 50] };

/** The scenario of a kind; the seed also picks the window size. */
export function make(kind, seed, agent) {
  const m = new Maker(seed * 97 + [...kind].reduce((a, c) => (a * 31 + c.charCodeAt(0)) >>> 0, 7)),
    f = KINDS[kind];
  if (!f) throw new Error(`no scenario kind ${kind}; there are ${Object.keys(KINDS).join(" ")}`);
  const [cols, rows] =
    SIZE[kind] ??
    m.of([
      [100, 30],
      [80, 24],
      [120, 40],
      [100, 30],
    ]);
  return { kind, seed, agent, cols, rows, ...f(m, agent) };
}

/** Kinds that an agent has no such thing for, or whose truth is not to be trusted with it. */
const EXCEPT = {
  claude: ["todo", "web"],
  gemini: ["model", "help", "resume"],
  qwen: ["model", "help", "resume", "mcp", "task", "subagent", "subagents", "todo", "web", "images", "overlay", "overlaystream"],
  kilo: [
    "model", "help", "resume", "mcp", "task", "subagent", "subagents", "todo", "web", "images", "overlay",
    "overlaystream",
  ],
  opencode: ["model", "help", "resume", "mcp", "task", "subagent", "subagents", "todo", "web", "images", "overlay", "overlaystream"],
  pi: [
    "approve", "denied", "feedback", "yes", "yesresize", "planmode", "exitplan", "ask", "model", "help",
    "resume", "mcp", "task", "subagent", "subagents", "background", "todo", "web", "images", "overlay",
    "overlaystream",
  ],
  copilot: ["model", "help", "resume", "task", "subagent", "subagents", "todo", "web", "images", "overlay", "overlaystream"],
};

/** All kinds that an agent can be recorded with. */
export const kindsOf = agent => Object.keys(KINDS).filter(k => !EXCEPT[agent]?.includes(k));
