package extractor

import "regexp"

// Codex prints its tokens when it is left, at /status, and in old versions below its prompt.
var codexUsage = []Usage{
	{
		Row:  regexp.MustCompile(`^Token usage(?: so far)?: total=(?P<total>` + figure + `) input=(?P<input>` + figure + `)(?: \(\+ (?P<read>` + figure + `) cached\))?(?: output=(?P<output>` + figure + `)(?: \(reasoning (?P<reasoning>` + figure + `)\))?)?`),
		Exit: true,
	},
	{Row: regexp.MustCompile(`^[│\s]*Token usage:\s+(?P<total>` + figure + `) total\s+\((?P<input>` + figure + `) input \+ (?P<output>` + figure + `) output\)`)},
	{Row: regexp.MustCompile(`Ctrl\+C quit\s+(?P<total>` + figure + `) tokens used`), Last: true},
	{Row: regexp.MustCompile(`^tokens used: (?P<total>` + figure + `)$`), Exit: true},
	{Row: regexp.MustCompile(`^(?P<total>` + figure + `)\s*$`), Below: regexp.MustCompile(`^tokens used\s*$`), Within: 1, Exit: true},
}
