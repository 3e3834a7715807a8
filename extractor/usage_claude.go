package extractor

import "regexp"

// Claude Code prints its cost and tokens at /cost, and when it is left.
var claudeUsage = []Usage{
	{
		Row: regexp.MustCompile(`^\s*(?:⎿\s+)?(?P<model>[a-zA-Z][\w.@:/-]*(?:\[1m\])?):\s+(?P<input>` + figure + `) input, (?P<output>` + figure + `) output(?:, (?P<read>` + figure +
			`) cache read)?(?:, (?P<write>` + figure + `) cache write)?(?:, [^($]*)?(?: \(\$(?P<cost>[\d.]+)\)?)?`),
		Below: regexp.MustCompile(`^\s*(?:⎿\s+)?Usage(?: by model)?:`), Within: 8,
	},
	{Row: regexp.MustCompile(`^\s*(?:⎿\s+)?Total cost:\s+\$(?P<cost>[\d.]+)`)},
}
