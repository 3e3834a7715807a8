package notify

import "github.com/ptyrec/ptyrec/internal/lazy"

// report matches what a terminal sends by itself: replies to queries, changes of the focus, and
// mouse movements (ctlseqs; the kitty keyboard protocol).
var report = lazy.Regexp(`\x1b\[[IO]|\x1b\[[?>=][0-9:;]*\$?[a-zA-Z]|\x1b\[[0-9;]*[Rn]|\x1b\[<(?:` +
	`3[2-9]|[45][0-9]|6[0-3]);[0-9;]*[Mm]|\x1b[\]P_^][^\x07\x1b]*(?:\x07|\x1b\\)`)

// byHand reports whether some of the keys were typed; the others are a terminal's reports.
func byHand(keys []byte) bool {
	return len(keys) > 0 && len(report().ReplaceAll(keys, nil)) > 0
}
