package extractor

// codex is the Codex CLI (ratatui: an inline viewport with history insertion, an alternate screen later).
var codex = &Profile{Name: "codex"}
