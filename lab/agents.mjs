// How each real agent CLI is installed, set up for a scripted model server, started and operated.
import fs from "node:fs";
import path from "node:path";
import { execFileSync } from "node:child_process";
import { compare } from "./versions.mjs";

export const PACKAGES = {
  claude: "@anthropic-ai/claude-code",
  gemini: "@google/gemini-cli",
  codex: "@openai/codex",
  qwen: "@qwen-code/qwen-code",
  opencode: "opencode-ai",
  copilot: "@github/copilot",
  pi: "@mariozechner/pi-coding-agent",
  kilo: "@kilocode/cli",
};

/** The versions recorded by default; others by --version. */
export const VERSIONS = {
  claude: "2.1.197",
  gemini: "0.61.0",
  codex: "0.169.0",
  qwen: "0.24.4",
  opencode: "1.18.33",
  copilot: "1.0.102",
  pi: "0.73.1",
  kilo: "7.7.7",
};

/** Installs one version of an agent from npm into the cache and returns its program's path. */
export function install(agent, version, cache) {
  const dir = path.join(cache, `${agent}-${version}`),
    bin = path.join(dir, "node_modules/.bin", agent);
  if (!fs.existsSync(bin)) {
    fs.mkdirSync(dir, { recursive: true });
    fs.writeFileSync(path.join(dir, "package.json"), '{"private":true}');
    execFileSync("npm", ["install", "--no-audit", "--no-fund", `${PACKAGES[agent]}@${version}`], {
      cwd: dir,
      stdio: "pipe",
    });
  }
  return bin;
}

/** Where agents are kept once they are installed. It must not be below the home that a run hides. */
export const CACHE = `${process.env.LAB_CACHE ?? "/var/tmp/ptyrec-lab"}/agents`;

/** Where the agents write their own logs, below their home. */
export const LOGS = {
  claude: [".claude/projects"],
  codex: [".codex/sessions"],
  gemini: [".gemini/tmp"],
  qwen: [".qwen/projects", ".qwen/tmp"],
  copilot: [".copilot/session-state"],
  opencode: [".local/share/opencode"],
  pi: [".pi/agent/sessions"],
  kilo: [".local/share/kilo"],
};

const KEY = "sk-ant-api03-loopback-only-not-a-real-key-000000000000";

/** Writes the agents' own settings under home so that they start straight at their prompt. */
export function setup(home, cwd, port, { approvals = false } = {}) {
  if (fs.existsSync(home) && fs.readdirSync(home).length)
    throw new Error(`${home} is not empty: start the lab through ./record`);
  for (const d of [cwd, `${home}/tmp`, `${home}/.codex`, `${home}/.gemini`, `${home}/.claude`])
    fs.mkdirSync(d, { recursive: true });
  fs.writeFileSync(
    `${home}/.claude.json`,
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: "dark",
      numStartups: 5,
      autoUpdates: false,
      installMethod: "npm",
      hasSeenTasksHint: true,
      bypassPermissionsModeAccepted: true,
      effortCalloutDismissed: true,
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
      projects: {
        [cwd]: {
          hasTrustDialogAccepted: true,
          hasCompletedProjectOnboarding: true,
          allowedTools: [],
          projectOnboardingSeenCount: 4,
        },
      },
    }),
  );
  fs.writeFileSync(
    `${home}/.claude/settings.json`,
    JSON.stringify(
      approvals
        ? { permissions: { defaultMode: "default" } }
        : { permissions: { allow: ["Bash", "Read", "Write", "Edit"], defaultMode: "acceptEdits" } },
    ),
  );
  fs.writeFileSync(
    `${home}/.codex/config.toml`,
    [
      'model = "gpt-5.1-codex"',
      'model_provider = "mock"',
      `approval_policy = "${approvals ? "on-request" : "never"}"`,
      `sandbox_mode = "${approvals ? "read-only" : "danger-full-access"}"`,
      "check_for_update_on_startup = false",
      "[model_providers.mock]",
      'name = "mock"',
      `base_url = "http://127.0.0.1:${port}/v1"`,
      'env_key = "MOCK_KEY"',
      'wire_api = "responses"',
      `[projects."${cwd}"]`,
      'trust_level = "trusted"',
      "[analytics]",
      "enabled = false",
      "",
    ].join("\n"),
  );
  fs.writeFileSync(
    `${home}/.gemini/settings.json`,
    JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      selectedAuthType: "gemini-api-key",
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, disableAutoUpdate: true },
      disableAutoUpdate: true,
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      usageStatisticsEnabled: false,
      ui: { theme: "Default", hideTips: false },
      theme: "Default",
    }),
  );
  fs.mkdirSync(`${home}/.copilot`, { recursive: true });
  fs.writeFileSync(`${home}/.copilot/config.json`, JSON.stringify({ trusted_folders: [cwd], trustedFolders: [cwd] }));
  fs.mkdirSync(`${home}/.qwen`, { recursive: true });
  fs.mkdirSync(`${home}/.config/opencode`, { recursive: true });
  fs.writeFileSync(
    `${home}/.qwen/settings.json`,
    JSON.stringify({
      security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      model: { name: "mock-coder" },
    }),
  );
  fs.writeFileSync(
    `${home}/.config/opencode/opencode.json`,
    JSON.stringify({
      autoupdate: false,
      share: "disabled",
      model: "mock/mock-coder",
      small_model: "mock/mock-coder",
      permission: approvals ? {} : { "*": "allow" },
      provider: {
        mock: {
          npm: "@ai-sdk/openai-compatible",
          name: "Mock",
          options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "x" },
          models: { "mock-coder": { name: "Mock Coder" } },
        },
      },
    }),
  );
  fs.mkdirSync(`${home}/.pi/agent`, { recursive: true });
  fs.writeFileSync(
    `${home}/.pi/agent/models.json`,
    JSON.stringify({
      providers: {
        mock: {
          baseUrl: `http://127.0.0.1:${port}/v1`,
          api: "openai-completions",
          apiKey: "x",
          models: [{ id: "mock-coder", name: "Mock Coder", reasoning: true }],
        },
      },
    }),
  );
  fs.writeFileSync(
    `${home}/.pi/agent/settings.json`,
    JSON.stringify({ defaultProvider: "mock", defaultModel: "mock-coder", enableInstallTelemetry: false }),
  );
  fs.mkdirSync(`${home}/.config/kilo`, { recursive: true });
  fs.copyFileSync(`${home}/.config/opencode/opencode.json`, `${home}/.config/kilo/kilo.json`);
  return {
    KILO_DISABLE_AUTOUPDATE: "1",
    PI_OFFLINE: "1",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
    COPILOT_MODEL: "mock-coder",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: `${home}/tmp`,
    USER: "dev",
    SHELL: "/bin/bash",
    TERM: "xterm-256color",
    COLORTERM: "truecolor",
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    IS_SANDBOX: "1",
    GEMINI_API_KEY: "loopback-only",
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
    GEMINI_CLI_DISABLE_AUTOUPDATE: "1",
    MOCK_KEY: "loopback-only",
    OPENAI_API_KEY: "loopback-only",
  };
}

/** The arguments each agent is started with. */
export const ARGS = {
  claude: () => [],
  codex: () => [],
  qwen: ({ approvals }) => (approvals ? ["--approval-mode", "default"] : ["--approval-mode", "yolo"]),
  opencode: () => [],
  copilot: ({ approvals }) => (approvals ? [] : ["--allow-all-tools", "--allow-all-paths"]),
  gemini: ({ approvals }) => (approvals ? [] : ["--approval-mode", "yolo"]),
  pi: () => [],
  kilo: () => [],
};

/** What shows that an agent is ready for a prompt; its clear command; how it is left; what an approval question looks like. */
export const UI = {
  claude: {
    ready: /^\s*│?\s*[❯>]|^\$\s*$/m,
    clear: "/clear",
    exit: "/exit",
    ask: /Do you want to|Would you like to proceed|❯ 1\. Yes/,
    interrupt: "\x1b",
  },
  codex: {
    ready: /^\s*[›▌>]/m,
    clear: "/clear",
    before: { version: "0.100.0", clear: "/new" }, // which does the same
    exit: "/quit",
    ask: /Would you like to|Allow command\?|❯ 1\. Yes|› 1\. Yes/,
    interrupt: "\x1b",
  },
  qwen: {
    ready: /Type your message|@path/,
    clear: "/clear",
    exit: "/quit",
    ask: /Allow execution|Yes, allow once|Allow once/,
    interrupt: "\x1b",
    wipe: "\x15",
  },
  opencode: {
    ready: /Ask anything|┃/,
    clear: "/new",
    exit: "/exit",
    ask: /Permission required|Allow once/,
    interrupt: "\x1b",
  },
  copilot: {
    ready: /^\s*│?\s*[❯>]/m,
    clear: "/clear",
    exit: "/exit",
    ask: /Do you want to|❯ 1\. Yes/,
    interrupt: ["\x1b", "\x1b"],
  },
  gemini: {
    ready: /Type your message/,
    clear: "/clear",
    exit: "/quit",
    ask: /Allow execution|Apply this change|Yes, allow once|Allow once/,
    interrupt: "\x1b",
  },
  kilo: {
    ready: /Ask anything|┃/,
    clear: "/new",
    exit: "/exit",
    ask: /Permission required|Allow once/,
    interrupt: "\x1b",
  },
  pi: {
    ready: /mock-coder/, // the last row names the model
    clear: "/new",
    exit: "/quit",
    ask: /(?!)/, // it never asks
    interrupt: "\x1b",
  },
};

/** The command that clears the conversation in a version of an agent. */
export function clearCommand(agent, version) {
  const { clear, before } = UI[agent];
  return before && compare(version, before.version) < 0 ? before.clear : clear;
}
