package extractor

import "regexp"

// GitHub Copilot CLI prints its tokens when it is left.
var copilotUsage = []Usage{{
	Row:  regexp.MustCompile(`\sTokens\s+↑ (?P<input>` + figure + `)(?: \((?P<read>` + figure + `) cached\))? • ↓ (?P<output>` + figure + `)(?: \((?P<reasoning>` + figure + `) reasoning\))?`),
	Exit: true, Cached: true,
}}
