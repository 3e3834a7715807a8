package extractor

import "regexp"

// Opencode shows below its prompt what it has cost, and how large the context of the last request
// was.
var opencodeUsage = []Usage{{
	Row:  regexp.MustCompile(`\s(?P<total>` + figure + `) \(\d+%\)(?: · \$(?P<cost>[\d.]+))?(?:\s|$)`),
	Last: true,
}}
