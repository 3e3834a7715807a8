package process_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/session"
)

// recorded returns the input that the record of a command has, when that is complete.
func (b *bench) recorded(c *process.Command) (input string) {
	b.t.Helper()
	for late := time.Now().Add(time.Minute); time.Now().Before(late); time.Sleep(time.Millisecond) {
		input = ""
		for e, err := range b.store.Events(b.t.Context(), c.Info().SessionID) {
			if err != nil {
				b.t.Fatal(err)
			}
			switch e.Kind {
			case session.Input:
				input += string(e.Data)
			case session.Exit:
				return input
			default:
			}
		}
	}
	b.t.Fatal("the record does not end")
	return ""
}

// Input is recorded on request only, and of a terminal only what its echo shows.
func TestInputIsRecordedOnRequest(t *testing.T) {
	b := newBench(t)
	recorded := filepath.Join(t.TempDir(), "recorded") // there once the first line is
	for _, c := range []struct {
		name string
		spec process.Spec
		want string
	}{
		{"not asked for", process.Spec{Command: "read x; read y"}, ""},
		{"pipe", process.Spec{Command: "read x; read y", Input: true}, "one\ntwo\n"},
		{"terminal", process.Spec{Command: "echo ready; read x; while [ ! -e " + recorded +
			" ]; do sleep 0.01; done; stty -echo; echo hidden; read y", PTY: true, Input: true}, "one\n"},
	} {
		cmd := b.start(c.spec)
		steps := []string{"", ""}
		if c.spec.PTY {
			steps = []string{"ready", "hidden"}
		}
		for i, text := range []string{"one\n", "two\n"} {
			for all := ""; !strings.Contains(all, steps[i]); {
				for chunk, err := range cmd.Read(t.Context(), process.Offsets{}) {
					if err != nil {
						t.Fatal(err)
					}
					if all += chunk.Text; strings.Contains(all, steps[i]) {
						break
					}
				}
			}
			if err := cmd.Write(t.Context(), []byte(text)); err != nil {
				t.Fatal(c.name, err)
			}
			if c.spec.PTY {
				if err := os.WriteFile(recorded, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := cmd.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.recorded(cmd); got != c.want {
			t.Errorf("%s: recorded %q, want %q", c.name, got, c.want)
		}
	}
}
