package codex

import (
	"regexp"

	"github.com/ptyrec/ptyrec/extractor/chat"
)

// Codex prints its tokens when it is left, at /status, and in old versions below its prompt.
var usage = []chat.Usage{
	{
		Row:  regexp.MustCompile(`^Token usage(?: so far)?: total=(?P<total>` + chat.Figure + `) input=(?P<input>` + chat.Figure + `)(?: \(\+ (?P<read>` + chat.Figure + `) cached\))?(?: output=(?P<output>` + chat.Figure + `)(?: \(reasoning (?P<reasoning>` + chat.Figure + `)\))?)?`),
		Exit: true,
	},
	{Row: regexp.MustCompile(`^[│\s]*Token usage:\s+(?P<total>` + chat.Figure + `) total\s+\((?P<input>` + chat.Figure + `) input \+ (?P<output>` + chat.Figure + `) output\)`)},
	{Row: regexp.MustCompile(`Ctrl\+C quit\s+(?P<total>` + chat.Figure + `) tokens used`), Last: true},
	{Row: regexp.MustCompile(`^tokens used: (?P<total>` + chat.Figure + `)$`), Exit: true},
	{Row: regexp.MustCompile(`^(?P<total>` + chat.Figure + `)\s*$`), Below: regexp.MustCompile(`^tokens used\s*$`), Within: 1, Exit: true},
}
