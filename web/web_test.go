package web_test

import (
	"io/fs"
	"regexp"
	"testing"

	"github.com/ptyrec/ptyrec/web"
)

// Whatever the page names is there, and nothing is elsewhere.
func TestFilesAreWhole(t *testing.T) {
	page, err := fs.ReadFile(web.Files(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllSubmatch(page, -1)
	if len(named) < 3 {
		t.Fatalf("the page names %d files", len(named))
	}
	for _, m := range named {
		if _, err := fs.Stat(web.Files(), string(m[1][1:])); err != nil || m[1][0] != '/' {
			t.Errorf("the page names %s, which is not there", m[1])
		}
	}
	if regexp.MustCompile(`<script>|<style|\son\w+=|style="`).Match(page) {
		t.Error("the page holds a script or a style of its own")
	}
}
