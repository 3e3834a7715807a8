package extractor

// claude is Claude Code (Ink on the main screen up to 2.1.2xx, an alternate screen of its own later).
var claude = &Profile{Name: "claude"}
