package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentsLinkToFiles follows every relative link of the documents: each leads to a file of
// this repository.
func TestDocumentsLinkToFiles(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)
	links := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], ":") {
				continue // a URL
			}
			links++
			target := filepath.Join(filepath.Dir(path), m[1])
			if _, err := os.Stat(target); err != nil || !strings.HasPrefix(target, root+string(filepath.Separator)) {
				t.Errorf("%s links to %s, which is no file of this repository", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 20 {
		t.Errorf("found %d links only", links)
	}
}

// TestUnreleasedChanges checks the files of changelog/unreleased: the kind of the change and one
// sentence, then nothing or a paragraph.
func TestUnreleasedChanges(t *testing.T) {
	files, err := filepath.Glob("../../changelog/unreleased/*")
	if err != nil {
		t.Fatal(err)
	}
	change := regexp.MustCompile(`\A(Bugfix|Change|Enhancement|Security): [^\n]{1,90}\n(\n[^\n]{1,100}\n([^\n]{1,100}\n)*)*\z`)
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !change.Match(text) {
			t.Errorf("%s is not as changelog/README.md says:\n%s", path, text)
		}
	}
}
