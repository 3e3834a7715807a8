package extractor

import "regexp"

// Codex prints its tokens when it is left, at /status, and in old versions below its prompt.
var _ = registerUsage("codex",
	usageLook{
		row:  regexp.MustCompile(`^Token usage(?: so far)?: total=(?P<total>` + figure + `) input=(?P<input>` + figure + `)(?: \(\+ (?P<read>` + figure + `) cached\))?(?: output=(?P<output>` + figure + `)(?: \(reasoning (?P<reasoning>` + figure + `)\))?)?`),
		exit: true,
	},
	usageLook{row: regexp.MustCompile(`^[│\s]*Token usage:\s+(?P<total>` + figure + `) total\s+\((?P<input>` + figure + `) input \+ (?P<output>` + figure + `) output\)`)},
	usageLook{row: regexp.MustCompile(`Ctrl\+C quit\s+(?P<total>` + figure + `) tokens used`), last: true},
	usageLook{row: regexp.MustCompile(`^tokens used: (?P<total>` + figure + `)$`), exit: true},
	usageLook{row: regexp.MustCompile(`^(?P<total>` + figure + `)\s*$`), below: regexp.MustCompile(`^tokens used\s*$`), within: 1, exit: true},
)
