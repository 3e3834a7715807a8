package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
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
	change := regexp.MustCompile(`\A(Bugfix|Change|Enhancement|Security): ` +
		`[^\n]{1,90}\n(\n[^\n]{1,100}\n([^\n]{1,100}\n)*)*\z`)
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

// TestDocumentsAreNarrow: the lines of Markdown fit into 100 columns, so that diffs can be read.
// Only the tables of the architecture may be wider.
func TestDocumentsAreNarrow(t *testing.T) {
	files := 0
	for _, pattern := range []string{"*.md", "*/*.md", "docs/adr/*.md", ".github/*.md"} {
		paths, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			files++
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				table := strings.HasPrefix(line, "|") && filepath.Base(path) == "architecture.md"
				if n := utf8.RuneCountInString(line); n > 100 && !table {
					t.Errorf("%s:%d has %d columns", path, i+1, n)
				}
			}
		}
	}
	if files < 30 {
		t.Errorf("only %d documents were found", files)
	}
}
