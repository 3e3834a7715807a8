package extractor

import "regexp"

// Claude Code prints its cost and tokens at /cost, and when it is left.
var _ = registerUsage("claude",
	usageLook{
		row: regexp.MustCompile(`^\s*(?:⎿\s+)?(?P<model>[a-zA-Z][\w.@:/-]*(?:\[1m\])?):\s+(?P<input>` + figure + `) input, (?P<output>` + figure + `) output(?:, (?P<read>` + figure +
			`) cache read)?(?:, (?P<write>` + figure + `) cache write)?(?:, [^($]*)?(?: \(\$(?P<cost>[\d.]+)\)?)?`),
		below: regexp.MustCompile(`^\s*(?:⎿\s+)?Usage(?: by model)?:`), within: 8,
	},
	usageLook{row: regexp.MustCompile(`^\s*(?:⎿\s+)?Total cost:\s+\$(?P<cost>[\d.]+)`)},
)
