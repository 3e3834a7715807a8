package extractor

import "regexp"

// Gemini CLI and Qwen Code print a table of their models when they are left, and at /stats. The
// rows with an arrow are parts of the one above.
var (
	inkUsageHead = regexp.MustCompile(`^\s*[│|]?\s*Model(?: Usage)?\s+Req`)
	inkUsageRow  = `^\s*[│|]?\s*(?P<model>[a-zA-Z][\w.:/@-]*…?)(?P<label> \([^)│]*\))?\s+\d+\s+`

	inkUsageLooks = []Usage{
		{Row: regexp.MustCompile(inkUsageRow + `(?P<input>` + figure + `)\s+(?P<read>` + figure + `)\s+(?P<output>` + figure + `)\s*(?:[│|]|$)`), Below: inkUsageHead, Within: 16},
		{Row: regexp.MustCompile(inkUsageRow + `(?P<input>` + figure + `)\s+(?P<output>` + figure + `)\s*(?:[│|]|$)`), Below: inkUsageHead, Within: 16},
	}
)
