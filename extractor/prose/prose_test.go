package prose_test

import (
	"testing"

	"github.com/ptyrec/ptyrec/extractor/prose"
)

// TestJudge tells lines of code from sentences.
func TestJudge(t *testing.T) {
	for _, tt := range []struct {
		line string
		want prose.Kind
	}{
		{"The cache is flushed before the worker starts.", prose.Prose},
		{"It retries: see below", prose.Prose},
		{"Größenänderung während der Ausgabe bleibt ohne Folgen", prose.Prose},
		{"Done.", prose.Prose},
		{"The worker will likely have done its part already, so that nothing else is left ;)<br>", prose.Prose},
		{"if err != nil {", prose.Code},
		{"return cache.get(key)", prose.Code},
		{"x = 1", prose.Code},
		{"# a comment", prose.Code},
		{"// flushes the cache before the worker starts", prose.Code},
		{"ValueError: bad input", prose.Code},
		{"KeyError: it is not there.", prose.Code},
		{"main()", prose.Code},
		{`is not one of the values that it allows, see docs")`, prose.Code},
		{"├── main.go", prose.Code},
		{"the max_size setting is read from the file.", prose.Prose},
		{"if x > 0 and y < 1:", prose.Code},
		{"Timeout: 30 * time.Second,", prose.Code},
		{"Close()", prose.Code},
		{"🚀 Ready", prose.Prose},
		{"缓存层在启动时会读取整个配置文件。λ → μ ≤ π ≈ 3.14", prose.Prose},
		{"✅ Ready", prose.Prose},
		{"├─ Ready", prose.Code},
		{"extends userName implements it", prose.Code},
		{"use the HTTP API", prose.Prose},
		{"don't re-run it", prose.Prose},
		{"Error: no such file", prose.Prose},
		{"cafe\u0301 is open", prose.Prose},
		{"The last Error: see below", prose.Prose},
		{"a + b + c + d", prose.Code},
		{"🚀", prose.Either},
		{"", prose.Either},
	} {
		if got := prose.Judge(tt.line); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.line, got, tt.want)
		}
	}
}

// TestCommand knows commands of a shell, and sentences that begin like them.
func TestMarkup(t *testing.T) {
	for line, want := range map[string]bool{
		`<a name="one"></a>`: true, "<ul>": true, "</li>": true, "<br/>": true, "<img": true,
		`<img alt="one"`: true, "-->": true,
		"<!-- one": true, "[1]: https://example.test": true, "[one two]: ../a.md": true,
		"": false, "<path>": false, "<T>": false, "<a, b>": false, "[1]: one": false, "a < b": false, "->": false,
	} {
		if got := prose.Markup(line); got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}

func TestCommand(t *testing.T) {
	for line, want := range map[string]bool{
		"npm install": true, "$ ls": true, "./run all": true, "go test -v ./x": true, "make build": true,
		"git status -s":   true,
		"lint -e a ./...": true, "LEVEL=1 qwen": true, "tool --fix": true, "use the -v flag to see more.": false,
		"npm": false, "./src": false, "go there and look around": false, "make sure that it works.": false,
		"rm is dangerous, though:": false,
	} {
		if got := prose.Command(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestSigns finds the signs of code.
func TestSigns(t *testing.T) {
	for line, want := range map[string]bool{
		"x := 1": true, "return x;": true, "$ ls": true, "#!/bin/sh": true, "// see there": true, "see there": false,
	} {
		if got := prose.Signs(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestFragment tells parts of sentences from whole ones.
func TestFragment(t *testing.T) {
	for line, want := range map[string]bool{"never said": true, "ελληνικά και ω": true, "Never said": false,
		"that is all.": false, "": false} {
		if got := prose.Fragment(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestStatements tells two lines of code from one that was wrapped.
func TestStatements(t *testing.T) {
	for _, c := range []struct {
		above, below string
		want         bool
	}{
		{"    compute(session, result.Content(), id))", "round.count(result.Maximum)", true},
		{`text := "Write to foo@example.test (now)"`, "joiners := &words.Joiners{", true},
		{"| Name | Count |", "|------|-------|", true},
		{"return load(path);", "if (x) {", true},
		{"compute(session, result.Content(),", "id)", false},
		{`text := "Write to foo (now)`, `name(x) "`, false},
		{"func (c *Client) Do(r *http.Request)", "error {", false},
		{"git commit -m (x)", "--no-verify", false},
	} {
		if got := prose.Statements(c.above, c.below); got != c.want {
			t.Errorf("%q, %q: %v", c.above, c.below, got)
		}
	}
}
