package extractor

import "regexp"

// GitHub Copilot CLI prints its tokens when it is left.
var _ = registerUsage("copilot", usageLook{
	row:  regexp.MustCompile(`\sTokens\s+↑ (?P<input>` + figure + `)(?: \((?P<read>` + figure + `) cached\))? • ↓ (?P<output>` + figure + `)(?: \((?P<reasoning>` + figure + `) reasoning\))?`),
	exit: true, cached: true,
})
