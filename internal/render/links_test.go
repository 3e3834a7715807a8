package render_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
)

// A link that an agent printed (OSC 8) went into the exports whatever its scheme.
func TestLinks(t *testing.T) {
	for markdown, linked := range map[string]bool{
		"[a](http://host/x)":                    true,
		"[a](https://host/x 'title')":           true,
		"[a](mailto:a@host)":                    true,
		"[a](file:///tmp/x)":                    true,
		"<https://host/x>":                      true,
		"[a](docs/a.md#b)":                      true,
		"[a](javascript:alert(1))":              false,
		"[a]( JAVASCRIPT:alert(1))":             false,
		"[a](<javascript:alert(1)>)":            false,
		"[a](&#106;avascript:alert(1))":         false,
		"[a](java&Tab;script:alert(1))":         false,
		`[a](javascript\:alert(1))`:             false,
		"![a](data:text/html;base64,AAAA)":      false,
		"[a](vbscript:x)":                       false,
		"[a](vscode://file/x)":                  false,
		"<javascript:alert(1)>":                 false,
		"[a]\n\n[a]: javascript:alert(1)":       false,
		"[a][b]\n\n[b]: <javascript:alert>":     false,
		"[![a](http://h/i)](javascript:bad)":    false,
		"- [a](javascript:alert(1))":            false,
		`<a href="javascript:alert(1)">b</a>`:   false,
		`<iframe class=x src=data:text/html,x>`: false,
		`<a href="https://host/x">b</a>`:        true,
		"# [a](javascript:alert(1))":            false,
	} {
		tr := example()
		tr.Entries = []*session.Entry{{Type: session.TypeMessage, Role: session.RoleAssistant, Text: "a",
			Markdown: markdown, Seq: 1}}
		var page, doc bytes.Buffer
		if err := render.HTML(&page, tr, nil); err != nil {
			t.Fatal(err)
		}
		if err := render.Write(&doc, "md", tr); err != nil {
			t.Fatal(err)
		}
		bad := regexp.MustCompile(`(?i)href="[^"]*(?:script|data|vscode):`)
		if got := strings.Contains(page.String(), `<a href="`); bad.MatchString(page.String()) ||
			linked && !got && markdown[:2] != "<a" {
			t.Errorf("%q: the page links: %v", markdown, got)
		}
		// What the Markdown says must not be a link for a reader of its own either.
		tr.Entries[0].Markdown = doc.String()
		page.Reset()
		if err := render.HTML(&page, tr, nil); err != nil {
			t.Fatal(err)
		}
		if bad.MatchString(page.String()) || strings.Contains(doc.String(), "\n"+markdown+"\n") != linked {
			t.Errorf("%q becomes %q", markdown, doc.String())
		}
	}
}
