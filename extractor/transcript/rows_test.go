package transcript_test

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/session"
)

// TestMergeShortened shows replies with tables in which the agent shortens cells, whose rows were
// on the screen as they were written.
func TestMergeShortened(t *testing.T) {
	const dashes = "| --- | --- |"
	table := func(rows ...string) string {
		return "Look:\n\n" + strings.Join(append([]string{rows[0], dashes}, rows[1:]...), "\n")
	}
	for _, c := range []struct {
		name  string
		shown []string // one after another
		want  string
		whole bool
	}{
		{"all of it was there", []string{"Look:\n\n| Name | What |", "Look:\n\n| `cache.go` | keeps **rows** for long |",
			table("| Na… | What |", "| `ca… | keeps **r… |")},
			table("| Name | What |", "| `cache.go` | keeps **rows** for long |"), true},
		{"the end was not", []string{"Look:\n\n| cache | keeps rows for", table("| Na… | What |", "| ca… | keeps… |")},
			table("| Na… | What |", "| cache | keeps rows for… |"), false},
		{"less than the table shows", []string{"Look:\n\n| cache | keeps",
			table("| Name | What |", "| ca... | keeps rows... |")}, table("| Name | What |", "| cache | keeps rows... |"),
			false},
		{"a wider table was there", []string{table("| Name | What |", "| cache | keeps rows… |"),
			table("| Name | What |", "| ca… | kee… |")}, table("| Name | What |", "| cache | keeps rows… |"), false},
		{"no room for a sign", []string{"Look:\n\n| Name of it | Default |", table("| Name… | Def |", "| x | non |")},
			table("| Name of it | Default |", "| x | non |"), false},
		{"nothing is known", []string{table("| Name | What |", "| ca… | kee… |")},
			table("| Name | What |", "| ca… | kee… |"), false},
		{"another row", []string{"Look:\n\n| 10 | ten of them |", table("| N | What it is |", "| 1 | one… |")},
			table("| N | What it is |", "| 1 | one… |"), false},
		{"the next row, which is in no table yet",
			[]string{table("| N | What |", "| x | tell… |") + "\n\n| x | telling more |"},
			table("| N | What |", "| x | tell… |") + "\n\n| x | telling more |", false},
		{"alike rows", []string{"Look:\n\n| x | telling more |", "Look:\n\n| x | telling less |",
			table("| N | What it is |", "| x | tell… |", "| x | tell… |")},
			table("| N | What it is |", "| x | telling more |", "| x | telling less |"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLog()
			for _, md := range c.shown {
				it := session.Sighting{Message: session.Message{Role: session.RoleAssistant, Text: bare(md), Markdown: md},
					Open: true}
				if it.Shortened = strings.Contains(md, dashes); it.Shortened {
					it.Truncate(session.TruncatedMiddle)
				}
				l.Merge(session.View{Document: 1, Items: []session.Sighting{{Message: session.Message{Role: session.RoleUser,
					Text: "Go"}}, it}})
			}
			es := l.Entries()
			e := es[len(es)-1]
			if len(es) != 2 || e.Markdown != c.want || e.Text != bare(c.want) || e.Truncated == c.whole {
				t.Errorf("got %d entries, %q, %q, truncated %v, want %q", len(es), e.Markdown, e.Text, e.Truncated, c.want)
			}
		})
	}
}

// TestMergeShortenedAgain shows a table whose cells are shortened otherwise when it is printed
// again.
func TestMergeShortenedAgain(t *testing.T) {
	l := newLog()
	for doc, md := range []string{"So:\n\n| A | B |\n| --- | --- |\n| one tw… | x |",
		"So:\n\n| A | B |\n| --- | --- |\n| on… | x |"} {
		it := session.Sighting{Message: session.Message{Role: session.RoleAssistant, Text: bare(md), Markdown: md},
			Shortened: true}
		l.Merge(session.View{Document: doc, Reprint: doc > 0, Items: []session.Sighting{it}})
	}
	if got := told(l); len(got) != 1 || !strings.Contains(got[0], "one tw…") {
		t.Errorf("got %q, want one reply with the longer cell", got)
	}
}

// bare is the text of a reply with this Markdown.
func bare(md string) string {
	lines := strings.Split(md, "\n")
	var out []string
	table := false
	for i, l := range lines {
		table = strings.HasPrefix(l, "|") && (table || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "| ---"))
		switch {
		case strings.HasPrefix(l, "| ---"):
			continue
		case table:
			l = strings.TrimSuffix(strings.TrimPrefix(l, "| "), " |")
		}
		out = append(out, strings.NewReplacer("**", "", "`", "").Replace(l))
	}
	return strings.Join(out, "\n")
}
