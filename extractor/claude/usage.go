package claude

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// Claude Code prints its cost and tokens at /cost, and when it is left.
var usage = []chat.Usage{
	{
		Row: lazy.Regexp(`^\s*(?:⎿\s+)?(?P<model>[a-zA-Z][\w.@:/-]*(?:\[1m\])?):\s+(?P<input>` + chat.Figure +
			`) input, (?P<output>` + chat.Figure + `) output(?:, (?P<read>` + chat.Figure +
			`) cache read)?(?:, (?P<write>` + chat.Figure + `) cache write)?(?:, [^($]*)?(?: \(\$(?P<cost>[\d.]+)\)?)?`),
		Below: lazy.Regexp(`^\s*(?:⎿\s+)?Usage(?: by model)?:`), Within: 8,
	},
	{Row: lazy.Regexp(`^\s*(?:⎿\s+)?Total cost:\s+\$(?P<cost>[\d.]+)`)},
}
