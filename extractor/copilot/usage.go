package copilot

import (
	"regexp"

	"github.com/ptyrec/ptyrec/extractor/chat"
)

// GitHub Copilot CLI prints its tokens when it is left.
var usage = []chat.Usage{{
	Row:  regexp.MustCompile(`\sTokens\s+↑ (?P<input>` + chat.Figure + `)(?: \((?P<read>` + chat.Figure + `) cached\))? • ↓ (?P<output>` + chat.Figure + `)(?: \((?P<reasoning>` + chat.Figure + `) reasoning\))?`),
	Exit: true, Cached: true,
}}
