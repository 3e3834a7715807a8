package transcript_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sebdah/goldie/v2"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/cast"
	"github.com/ptyrec/ptyrec/session"
)

// moreRecordings returns the files that match pattern in the folder PTYREC_RECORDINGS: recordings
// that are too many for testdata, as AGENT-VERSION-KIND-SEED.cast, each with its .truth.json. It
// returns none if the variable is not set.
func moreRecordings(t *testing.T, pattern string) []string {
	t.Helper()
	dir := os.Getenv("PTYREC_RECORDINGS")
	if dir == "" {
		t.Log("PTYREC_RECORDINGS names no folder: only the recordings of testdata are read")
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("PTYREC_RECORDINGS: no %s in %s: %v", pattern, dir, err)
	}
	return paths
}

// floors are the least that the transcripts of each agent's recordings must reach, in the order of
// figureNames. Tools lack what the truths expect of a call that never showed its output: `ls -1`
// where Claude Code and Codex only say that they listed a folder.
var floors = map[string][6]float64{
	"claude":  {0.99, 0.999, 0.94, 0.99, 0.99, 0.99},
	"codex":   {0.99, 0.999, 0.93, 0.99, 0.99, 0.99},
	"gemini":  {0.99, 0.999, 0.97, 0.99, 0.99, 0.99},
	"qwen":    {0.95, 0.99, 0.97, 0.97, 0.97, 0.99},
	"copilot": {0.99, 0.999, 0.97, 0.99, 0.99, 0.99},
	"shell":   {1, 1, 1, 1, 1, 1},
}

var figureNames = [6]string{"exact", "chars", "tools", "code", "markdown", "events"}

// judged is a recording, and the file that says what was really said in it.
type judged struct {
	name, truth string
	entries     func() []*session.Entry
}

// TestGoldenTranscripts compares the whole transcript of each recording of testdata (F6 to F15).
func TestGoldenTranscripts(t *testing.T) {
	t.Parallel()
	paths := fixtureCasts(t)
	if testing.Short() {
		paths = everyNth(paths, 4) // make test has all
	}
	for _, path := range paths {
		dir := filepath.Dir(path)
		t.Run(fixtureName(dir), func(t *testing.T) {
			got, err := encode(readFixture(t, path).entries())
			if err != nil {
				t.Fatal(err)
			}
			goldie.New(t, goldie.WithFixtureDir(dir), goldie.WithNameSuffix(".golden.json"),
				goldie.WithDiffEngine(goldie.ColoredDiff)).Assert(t, "transcript", got)
		})
	}
}

// goldenOnly are the fixtures that pin rules and have no truth. Most would score below the floors:
// not all that was said was on the screen, or it is read wrongly. The golden transcripts show how.
var goldenOnly = []string{
	"claude/1.0.128-zoo",
	"claude/2.0.76-multiline",
	"claude/2.0.76-zoofresh",
	"claude/2.1.197-mdtables",
	"claude/2.1.330-calls",
	"claude/2.1.330-mdlists",
	"claude/2.1.330-subagents",
	"claude/2.1.330-tools",
	"claude/2.1.330-zooansi",
	"claude/2.1.330-zoolight",
	"claude/2.1.330-zoonarrow",
	"codex/0.125.0-tmuxresume",
	"codex/0.169.0-denied",
	"codex/0.169.0-zoo",
	"codex/0.47.0-zoo",
	"shell/bash-steps",
	"shell/bash-zoo",
	"shell/zsh-zoo",
}

// TestScore holds the transcripts of testdata against what was really said.
func TestScore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test scores all transcripts; nothing in them runs concurrently")
	}
	var js []judged
	for _, path := range fixtureCasts(t) {
		dir := filepath.Dir(path)
		if slices.Contains(goldenOnly, fixtureName(dir)) {
			t.Logf("%s is not scored: it has a golden transcript only", fixtureName(dir))
			continue
		}
		js = append(js, judged{fixtureName(dir), filepath.Join(dir, "truth.json"), readFixture(t, path).entries})
	}
	judge(t, js, floors)
}

// TestScoreMore does the same with all recordings at hand.
func TestScoreMore(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode")
	}
	paths := moreRecordings(t, "*.truth.json")
	if len(paths) == 0 {
		t.Skip("there are no recordings but those of testdata")
	}
	var js []judged
	for _, path := range paths {
		base := strings.TrimSuffix(path, ".truth.json")
		js = append(js, judged{filepath.Base(base), path,
			func() []*session.Entry { return newRecorded(t, base+".cast").entries() }})
	}
	judge(t, js, floors)
}

// TestAnyEnd asks for the log again and again while a recording is played: a terminal may close at
// any time. What the whole recording says of the turns that were over by then is in it, whatever an
// agent printed again later. In a storm of resizes, Gemini CLI leaves its spinner in the middle of
// a reply until it prints all again: there only prompts are compared.
func TestAnyEnd(t *testing.T) {
	t.Parallel()
	const moments, slack = 20, 300 * time.Millisecond
	paths := fixtureCasts(t)
	if testing.Short() {
		paths = everyNth(paths, 8)
	}
	eachParallel(len(paths), func(i int) func() {
		r := readFixture(t, paths[i])
		h, events := r.header, r.events
		torn := strings.HasPrefix(fixtureName(filepath.Dir(paths[i])), "gemini/0.61.0-storm")
		return func() {
			every := events[len(events)-1].At / moments
			logs := map[time.Duration][]string{}
			entries := process(h, events, func(p *transcript.Processor, last, next time.Duration) {
				if at := next.Truncate(every); at > last {
					p.Tick(at)
					logs[at] = utterances(p.Entries())
				}
			})
			for at, got := range logs {
				for _, text := range utterances(overBy(entries, h.Timestamp.Add(at-slack))) {
					if torn && !strings.HasPrefix(text, session.RoleUser) {
						continue
					}
					if !slices.Contains(got, text) {
						t.Errorf("%s: at %v there is no %.100q", fixtureName(filepath.Dir(paths[i])), at, text)
					}
				}
			}
		}
	})
}

// overBy returns the entries above the last prompt that was sent by then.
func overBy(entries []*session.Entry, then time.Time) []*session.Entry {
	n := len(entries)
	for n > 0 && (entries[n-1].Role != session.RoleUser || entries[n-1].At.After(then)) {
		n--
	}
	return entries[:max(0, n-1)]
}

// utterances are the messages, each behind its role, without white space.
func utterances(entries []*session.Entry) (out []string) {
	for _, e := range entries {
		if e.Role == session.RoleUser || e.Role == session.RoleAssistant {
			out = append(out, e.Role+": "+strings.Join(strings.Fields(e.Text), ""))
		}
	}
	return out
}

// fixtureCasts are the recordings of testdata/transcripts/AGENT/VERSION-CASE.
func fixtureCasts(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/transcripts/*/*/session.cast.gz")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings under testdata/transcripts: %v", err)
	}
	return paths
}

// readEvents reads a whole recording. For those of testdata there is readFixture.
func readEvents(t testing.TB, path string) (cast.Header, []session.Event) {
	t.Helper()
	r, err := cast.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var events []session.Event
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Header, events
		}
		if err != nil {
			t.Fatal(err)
		}
		e.Data = bytes.Clone(e.Data)
		events = append(events, e)
	}
}

// recorded is a recording.
type recorded struct {
	header cast.Header
	events []session.Event
	log    func() ([]*session.Entry, string) // returns the entries and the title, which it finds once
}

func newRecorded(t testing.TB, path string) *recorded {
	t.Helper()
	h, events := readEvents(t, path)
	return &recorded{h, slices.Clip(events), sync.OnceValues(func() ([]*session.Entry, string) {
		p := replay(h, events, nil)
		return p.Entries(), p.Title()
	})}
}

// entries returns the transcript.
func (r *recorded) entries() []*session.Entry {
	entries, _ := r.log()
	return entries
}

var fixtures sync.Map // *recorded by path

// readFixture returns a recording of testdata. Tests share it and must not change it.
func readFixture(t testing.TB, path string) *recorded {
	t.Helper()
	if r, ok := fixtures.Load(path); ok {
		return r.(*recorded)
	}
	r, _ := fixtures.LoadOrStore(path, newRecorded(t, path))
	return r.(*recorded)
}

// transcribe returns the transcript of a recording.
func transcribe(h cast.Header, events []session.Event) []*session.Entry {
	return process(h, events, nil)
}

// encode writes entries as the golden transcripts have them.
func encode(entries []*session.Entry) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(entries)
	return b.Bytes(), err
}

// fixtureName names a fixture by its agent, version and case.
func fixtureName(dir string) string {
	return filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)
}

// judge scores recordings and reports the figures of each agent, which floors are the least of.
func judge(t *testing.T, js []judged, floors map[string][6]float64) {
	t.Helper()
	type result struct {
		figures
		agent string
		notes []string
	}
	results := make([]result, len(js))
	eachParallel(len(js), func(i int) func() {
		truth := readTruth(t, js[i].truth)
		return func() {
			f, notes := score(truth, js[i].entries())
			results[i] = result{f, truth.Agent, notes}
		}
	})
	sums := map[string]*[6]share{}
	for i, r := range results {
		for _, n := range r.notes {
			t.Logf("%s: %s", js[i].name, n)
		}
		s := sums[r.agent]
		if s == nil {
			s = new([6]share)
			sums[r.agent] = s
		}
		for k, v := range r.all() {
			s[k].right += v.right
			s[k].all += v.all
		}
	}
	for agent, s := range sums {
		var line strings.Builder
		for k := range s {
			v, _ := s[k].value()
			fmt.Fprintf(&line, "  %s %.4f", figureNames[k], v)
			if v < floors[agent][k] {
				t.Errorf("%s: %s %.4f, want at least %.4f", agent, figureNames[k], v, floors[agent][k])
			}
		}
		n := 0
		for _, r := range results {
			if r.agent == agent {
				n++
			}
		}
		t.Logf("%-7s%4d%s", agent, n, line.String())
	}
}

// all returns a transcript's figures as one share each: a long transcript counts no more than a
// short one.
func (f figures) all() [6]share {
	var out [6]share
	for i, s := range [6]share{f.exact, f.chars, f.tools, f.code, f.markdown, f.events} {
		if v, ok := s.value(); ok {
			out[i] = share{v, 1}
		}
	}
	return out
}

func readTruth(t *testing.T, path string) (truth groundTruth) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &truth)
	}
	if err != nil || len(truth.Entries) == 0 {
		t.Fatalf("truth %s: %d entries, %v", path, len(truth.Entries), err)
	}
	return truth
}

// eachParallel prepares 0 to n-1 in order, and runs what prepare returns on all cores.
func eachParallel(n int, prepare func(i int) func()) {
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		do := prepare(i)
		free <- struct{}{}
		wg.Go(func() {
			do()
			<-free
		})
	}
	wg.Wait()
}

// TestScoreItself checks the score with transcripts of which the figures are known.
func TestScoreItself(t *testing.T) {
	truth := groundTruth{Entries: []wantEntry{
		{Event: "start"},
		{Role: "user", Text: "Say > hi"},
		{Role: "assistant", Text: "## Head\n\nSee **this** and `that`:\n\n```go\nfunc f() {\n\treturn\n}\n```"},
		{Role: "tool", Contains: "ls -1", Output: "README.md", Shown: true, OutputShown: true},
	}}
	whole := []*session.Entry{
		{Event: session.EventNewSession},
		{Role: "user", Text: "Say > hi"},
		{Role: "assistant", Text: "Head\n\nSee this and that:\n\nfunc f() {\n    return\n}",
			Markdown: "# Head\n\nSee **this** and `that`:\n\n```\nfunc f() {\n    return\n}\n```"},
		{Role: "tool", Text: "Bash(ls -1)", Tool: &session.Tool{Name: "Bash", Input: "ls -1", Output: "README.md"}},
	}
	worse := slices.Clone(whole)
	worse[2] = &session.Entry{Role: "assistant", Text: "Head\n\nSee this and that:\n\nfunc f() {\nreturn\n}",
		Markdown: "Head\n\nSee this and `that`:"}
	worse = append(worse, &session.Entry{Role: "user", Text: "invented"})
	for _, tt := range []struct {
		name    string
		entries []*session.Entry
		want    [6]float64
	}{
		{"whole", whole, [6]float64{1, 1, 1, 1, 1, 1}},
		{"nothing", nil, [6]float64{0, 0, 0, 0, 0, 0}},
		{"worse", worse, [6]float64{0.8, 1, 1, 0, 1. / 3, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, _ := score(truth, tt.entries)
			for i, s := range f.all() {
				if v, _ := s.value(); v != tt.want[i] {
					t.Errorf("%s: got %v, want %v", figureNames[i], v, tt.want[i])
				}
			}
		})
	}
}
