package claude

import (
	"regexp"

	"github.com/ptyrec/ptyrec/extractor/chat"
)

// Claude Code prints its cost and tokens at /cost, and when it is left.
var usage = []chat.Usage{
	{
		Row: regexp.MustCompile(`^\s*(?:⎿\s+)?(?P<model>[a-zA-Z][\w.@:/-]*(?:\[1m\])?):\s+(?P<input>` + chat.Figure + `) input, (?P<output>` + chat.Figure + `) output(?:, (?P<read>` + chat.Figure +
			`) cache read)?(?:, (?P<write>` + chat.Figure + `) cache write)?(?:, [^($]*)?(?: \(\$(?P<cost>[\d.]+)\)?)?`),
		Below: regexp.MustCompile(`^\s*(?:⎿\s+)?Usage(?: by model)?:`), Within: 8,
	},
	{Row: regexp.MustCompile(`^\s*(?:⎿\s+)?Total cost:\s+\$(?P<cost>[\d.]+)`)},
}
