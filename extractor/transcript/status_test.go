package transcript_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/session"
)

// turnStates are the states of a run of an agent, in order: it may be busy while it starts; it
// waits for the first prompt, whatever it shows; works on each (p) or on a command of its own or a
// shell line (c), perhaps asks, and waits again until it leaves; menus of its own ask, too.
var turnStates = regexp.MustCompile(`^(busy )?(asking )?(idle (asking idle )*)?(c ((busy |asking )(idle )?)?|p ` +
	`(busy (asking busy )*(asking )?)?(idle )?(asking idle )*)*$`)

// oddStates are the fixtures whose states do not match, with the reason.
var oddStates = map[string]string{
	"claude/2.1.197-mdtables":  "in 12 rows, the spinner is not drawn while a reply comes in",
	"claude/2.1.330-subagents": "a background agent ends between two turns, and Claude Code answers",
	"claude/2.1.332-ctrlz":     "the shell reads commands while the agent is stopped",
	"codex/0.169.0-ctrlz":      "the shell reads commands while the agent is stopped",
	"claude/2.1.50-clear":      "the menu of commands counts as busy, and the spinner is drawn before the prompt",
	"gemini/0.28.2-huge":       "half a second after a resize all is drawn again, which counts as work",
	"qwen/0.24.4-storm":        "Qwen Code asks the model again after a reply, and so is busy twice",
}

// TestStates checks that an agent's states follow what it was given: none comes twice, none is
// there before its cause.
func TestStates(t *testing.T) {
	t.Parallel()
	paths := fixtureCasts(t)
	if testing.Short() {
		paths = everyNth(paths, 4) // make test has all
	}
	for _, path := range paths {
		t.Run(fixtureName(filepath.Dir(path)), func(t *testing.T) {
			if reason := oddStates[fixtureName(filepath.Dir(path))]; reason != "" {
				t.Skip(reason)
			}
			var runs []string
			for _, e := range readFixture(t, path).entries() {
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
