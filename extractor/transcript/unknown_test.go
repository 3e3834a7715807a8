package transcript_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
)

// unknownFloors are the least that transcripts must reach which are read as if nobody had described
// the agent. The events lack interrupts; what a call is named and what is inline code is not known.
var unknownFloors = map[string][6]float64{
	"claude": {0.94, 0.96, 0.7, 0.95, 0.7, 0.95},
	"codex":  {0.9, 0.96, 0.6, 0.8, 0.75, 0.95},
	"gemini": {0.9, 0.94, 0.7, 0.95, 0.7, 0.99},
	"qwen":   {0.82, 0.93, 0.45, 0.95, 0.7, 0.99},
}

// ordinary are the kinds of recordings in which nothing unusual happens.
var ordinary = regexp.MustCompile(`[/-](basic|clear|edits|long|markdown|multiline|paragraphs|scroll|shell|stream|` +
	`table|thinking|tools|turns|unicode|wide)(-\d+)?$`)

// TestUnknownAgents reads agents as if nobody had described them, and holds the transcripts against
// what was really said. With PTYREC_RECORDINGS it reads the recordings there, too.
func TestUnknownAgents(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test scores all transcripts; nothing in them runs concurrently")
	}
	var js []judged
	add := func(name, path, truth string) {
		agent, _, _ := strings.Cut(strings.ReplaceAll(name, "/", "-"), "-")
		if _, ok := unknownFloors[agent]; !ok || !ordinary.MatchString(name) || slices.Contains(goldenOnly, name) {
			return
		}
		js = append(js, judged{name, truth, func() []*session.Entry {
			h, events := readEvents(t, path)
			return readUnknown(h, events).Entries()
		}})
	}
	for _, path := range fixtureCasts(t) {
		dir := filepath.Dir(path)
		add(fixtureName(dir), path, filepath.Join(dir, "truth.json"))
	}
	for _, truth := range moreRecordings(t, "*.truth.json") {
		base := strings.TrimSuffix(truth, ".truth.json")
		add(filepath.Base(base), base+".cast", truth)
	}
	judge(t, js, unknownFloors)
}

// readUnknown reads a recording as if nobody had described the agents in it.
func readUnknown(h cast.Header, events []session.Event) *transcript.Processor {
	p := transcript.NewProcessor(transcript.ProcessorOptions{Cols: h.Cols, Rows: h.Rows, Unknown: true})
	var at time.Duration
	for _, e := range events {
		p.Feed(e)
		at = e.At
	}
	p.Close(at)
	return p
}

// TestNoChats reads recordings of programs in which a user types, and which are no chats: editors,
// pagers, a file manager, a game, interpreters, a shell with a sign for a prompt. Nothing that is
// typed or shown in them is a message.
func TestNoChats(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../testdata/nochats/*.cast.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings in testdata/nochats: %v", err)
	}
	for _, path := range paths {
		h, events := readEvents(t, path)
		for _, e := range readUnknown(h, events).Entries() {
			if e.Agent != "" || e.Role != "" && e.Role != session.RoleShell {
				t.Errorf("%s has %s %s %q of %q", filepath.Base(path), e.Event, e.Role, e.Text, e.Agent)
			}
		}
	}
}
