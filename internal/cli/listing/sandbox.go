package listing

import (
	"fmt"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/store"
)

// Sandboxes returns a line for each sandbox.
func Sandboxes(boxes []store.SandboxInfo, now time.Time) []string {
	var lines []string
	for _, b := range boxes {
		running := ""
		if b.Running > 0 {
			running = fmt.Sprintf(", %d running", b.Running)
		}
		when := b.Last.Local().Format("15:04")
		if b.Last.Local().Format(time.DateOnly) != now.Local().Format(time.DateOnly) {
			when = b.Last.Local().Format("2006-01-02 15:04")
		}
		lines = append(lines, fmt.Sprintf("sandbox %s   %s%s, %s\n", printable.Line(b.Name),
			printable.Plural(b.Commands, "command"), running, when))
	}
	return lines
}
