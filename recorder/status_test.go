package recorder_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/session"
)

// turnStates are the states of a run of an agent, in order: it waits for the first prompt, whatever it shows while it
// starts; works on each (p) or on a command of its own or a shell line (c), perhaps asks, and waits again until it
// leaves; menus of its own ask, too.
var turnStates = regexp.MustCompile(`^(asking )?(idle (asking idle )*)?(c ((busy |asking )(idle )?)?|p (busy (asking busy )*(asking )?)?(idle )?(asking idle )*)*$`)

// TestStates checks that an agent's states follow what it was given: none comes twice, none is there before its cause.
func TestStates(t *testing.T) {
	for _, path := range fixtureCasts(t) {
		t.Run(fixtureName(filepath.Dir(path)), func(t *testing.T) {
			var runs []string
			for _, e := range transcribe(readEvents(t, path)) {
				switch {
				case e.Event == session.EventNewSession:
					runs = append(runs, "")
				case len(runs) == 0:
				case e.Role == session.RoleUser:
					runs[len(runs)-1] += "p "
				case e.Role == session.RoleCommand, e.Role == session.RoleShell:
					runs[len(runs)-1] += "c "
				case e.Event == session.EventIdle, e.Event == session.EventBusy, e.Event == session.EventAsking:
					runs[len(runs)-1] += strings.TrimPrefix(e.Event, "cli:") + " "
				}
			}
			for _, run := range runs {
				if !turnStates.MatchString(run) {
					t.Errorf("states: got %s, want them to match %s", run, turnStates)
				}
			}
		})
	}
}
