package codex

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// Codex prints its tokens when it is left, at /status, and in old versions below its prompt.
var usage = []chat.Usage{
	{
		Row: lazy.Regexp(`^Token usage(?: so far)?: total=(?P<total>` + chat.Figure + `) input=(?P<input>` + chat.Figure +
			`)(?: \(\+ (?P<read>` + chat.Figure + `) cached\))?(?: output=(?P<output>` + chat.Figure +
			`)(?: \(reasoning (?P<reasoning>` + chat.Figure + `)\))?)?`),
		Exit: true,
	},
	{Row: lazy.Regexp(`^[│\s]*Token usage:\s+(?P<total>` + chat.Figure + `) total\s+\((?P<input>` + chat.Figure +
		`) input \+ (?P<output>` + chat.Figure + `) output\)`)},
	{Row: lazy.Regexp(`Ctrl\+C quit\s+(?P<total>` + chat.Figure + `) tokens used`), Last: true},
	{Row: lazy.Regexp(`^tokens used: (?P<total>` + chat.Figure + `)$`), Exit: true},
	{Row: lazy.Regexp(`^(?P<total>` + chat.Figure + `)\s*$`), Below: lazy.Regexp(`^tokens used\s*$`), Within: 1,
		Exit: true},
}
