package inkcli

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// Gemini CLI and Qwen Code print a table of their models when they are left, and at /stats. The
// rows with an arrow are parts of the one above.
var (
	usageHead = lazy.Regexp(`^\s*[│|]?\s*Model(?: Usage)?\s+Req`)
	usageRow  = lazy.Regexp(`^\s*[│|]?\s*(?P<model>[a-zA-Z][\w.:/@-]*…?)(?P<label> \([^)│]*\))?\s+\d+` +
		`\s+(?P<input>` + chat.Figure + `)(?:\s+(?P<read>` + chat.Figure + `))?\s+(?P<output>` + chat.Figure +
		`)\s*(?:[│|]|$)`)
)

// Usage returns how the table of models is drawn.
func Usage() []chat.Usage { return []chat.Usage{{Row: usageRow, Below: usageHead, Within: 16}} }
