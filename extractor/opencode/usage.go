package opencode

import (
	"regexp"

	"github.com/ptyrec/ptyrec/extractor/chat"
)

// Opencode shows below its prompt what it has cost, and how large the context of the last request
// was.
var usage = []chat.Usage{{
	Row:  regexp.MustCompile(`\s(?P<total>` + chat.Figure + `) \(\d+%\)(?: · \$(?P<cost>[\d.]+))?(?:\s|$)`),
	Last: true,
}}
