package prose_test

import (
	"testing"

	"github.com/ptyrec/ptyrec/extractor/prose"
)

// TestE23Judge tells lines of code from sentences.
func TestE23Judge(t *testing.T) {
	for _, tt := range []struct {
		line string
		want prose.Kind
	}{
		{"The cache is flushed before the worker starts.", prose.Prose},
		{"It retries: see below", prose.Prose},
		{"Größenänderung während der Ausgabe bleibt ohne Folgen", prose.Prose},
		{"Done.", prose.Prose},
		{"if err != nil {", prose.Code},
		{"return cache.get(key)", prose.Code},
		{"x = 1", prose.Code},
		{"# a comment", prose.Code},
		{"// flushes the cache before the worker starts", prose.Code},
		{"ValueError: bad input", prose.Code},
		{"main()", prose.Code},
		{`is not one of the values that it allows, see docs")`, prose.Code},
		{"├── main.go", prose.Code},
		{"🚀", prose.Either},
		{"", prose.Either},
	} {
		if got := prose.Judge(tt.line); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.line, got, tt.want)
		}
	}
}

// TestE23Command knows commands of a shell, and sentences that begin like them.
func TestE23Command(t *testing.T) {
	for line, want := range map[string]bool{
		"npm install": true, "$ ls": true, "./run all": true, "go test -v ./x": true, "make build": true, "git status -s": true,
		"npm": false, "go there and look around": false, "make sure that it works.": false, "rm is dangerous, though:": false,
	} {
		if got := prose.Command(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// TestE23Fragment tells parts of sentences from whole ones.
func TestE23Fragment(t *testing.T) {
	for line, want := range map[string]bool{"never said": true, "ελληνικά και ω": true, "Never said": false, "that is all.": false, "": false} {
		if got := prose.Fragment(line); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
