package extractor

import "regexp"

// Opencode shows below its prompt what it has cost, and how large the context of the last request
// was.
var _ = registerUsage("opencode", usageLook{
	row:  regexp.MustCompile(`\s(?P<total>` + figure + `) \(\d+%\)(?: · \$(?P<cost>[\d.]+))?(?:\s|$)`),
	last: true,
})
