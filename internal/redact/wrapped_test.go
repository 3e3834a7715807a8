package redact_test

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/ptyrec/ptyrec/internal/redact/shapes"
)

// Where the width of a window cut the words around a secret, 91 of 573 passed; words of other
// scripts, and a key with a bar in it, for longer.
//
// Wherever rows end, nothing is left of a secret: at a window's edge, which cuts words, or between
// words, where only a word longer than a row is cut.
func TestWrappedSecretsAreHidden(t *testing.T) {
	r := newRedactor(t)
	for i, c := range shapes.Wrapped() {
		if testing.Short() && i%8 != 0 { // make test has all
			continue
		}
		for _, before := range []string{"", "Here is what I found in it: "} {
			text := before + c.Before + c.Secret + c.After
			if before != "" {
				text += " and so on, as you can see"
			}
			for width := 24; width <= 120; width += 1 + width/6 {
				for how, rows := range map[string][]string{"at the edge": edgeRows(text, width),
					"between words": wordRows(text, width)} {
					for _, box := range []struct{ first, begin, end string }{{"", "", ""}, {"● ", "  ", ""}, {"│ ", "│ ", " │"}} {
						shown := r.Text(boxed(rows, width, box.first, box.begin, box.end), nil)
						if n := leftOver(withoutMarks(shown), c.Secret); n > max(4, len(c.Secret)/5) {
							t.Errorf("%s, %s at width %d: %d characters left:\n%s", c.Rule, how, width, n, shown)
						}
					}
				}
			}
		}
	}
}

// edgeRows cuts each line of text after width cells, as terminals do.
func edgeRows(text string, width int) (rows []string) {
	for line := range strings.SplitSeq(text, "\n") {
		for displaywidth.String(line) > width {
			row := displaywidth.TruncateString(line, width, "")
			rows, line = append(rows, row), line[len(row):]
		}
		rows = append(rows, line)
	}
	return rows
}

// wordRows breaks lines between words, and cuts those that are longer than a row.
func wordRows(text string, width int) (rows []string) {
	for line := range strings.SplitSeq(text, "\n") {
		row := ""
		for word := range strings.SplitSeq(line, " ") {
			if row != "" && displaywidth.String(row)+1+displaywidth.String(word) <= width {
				row += " " + word
				continue
			}
			if row != "" {
				rows = append(rows, row)
			}
			for displaywidth.String(word) > width {
				part := displaywidth.TruncateString(word, width, "")
				rows, word = append(rows, part), word[len(part):]
			}
			row = word
		}
		rows = append(rows, row)
	}
	return rows
}

// boxed puts first before the first row and begin before the others. It pads the rows if an end
// follows, and takes the blanks at their ends away otherwise.
func boxed(rows []string, width int, first, begin, end string) string {
	var b strings.Builder
	for i, row := range rows {
		if end == "" {
			row = strings.TrimRight(row, " ")
		} else {
			row += strings.Repeat(" ", width-displaywidth.String(row)) + end
		}
		if i == 0 {
			b.WriteString(first)
		} else {
			b.WriteString("\n" + begin)
		}
		b.WriteString(row)
	}
	return b.String()
}

// What a window's edge cut and is no secret is left alone.
func TestWrappedProseIsLeftAlone(t *testing.T) {
	r := newRedactor(t)
	for _, text := range []string{
		"The password is checked against the hash in the table of users, and the token is renewed when it is older than " +
			"3600 seconds.",
		"echo done | sudo tee /etc/hosts, then mysql --user root shop < dump.sql and docker login -u bob with what is " +
			"asked for",
		"set the password to something that is not in the dictionary, see passwd(5), and curl -b cookies.txt " +
			"https://example.com/login?next=1",
		"The API key is read from the environment: export API_KEY=$KEY, or kubectl --token $(cat token) get pods " +
			"--namespace default",
	} {
		for width := 24; width <= 120; width++ {
			for _, rows := range [][]string{edgeRows(text, width), wordRows(text, width)} {
				for _, box := range []struct{ first, begin, end string }{{"", "", ""}, {"● ", "  ", ""}, {"│ ", "│ ", " │"}} {
					shown := boxed(rows, width, box.first, box.begin, box.end)
					if got := r.Text(shown, nil); got != shown {
						t.Errorf("width %d: %s\nbecomes\n%s", width, shown, got)
					}
				}
			}
		}
	}
}

// Each token of a list is hidden whole: the next one is not its rest, though it is in the next row.
func TestTokensInAList(t *testing.T) {
	r := newRedactor(t)
	lists := 0
	for _, c := range secrets {
		if c.Before != "" || strings.Contains(c.Secret, "\n") {
			continue
		}
		lists++
		list := strings.Repeat(c.Secret+"\n", 5)
		if rest := strings.TrimSpace(withoutMarks(r.Text(list, nil))); rest != "" {
			t.Errorf("of five rows of %s, %q is left", c.Rule, rest)
		}
	}
	if lists < 20 {
		t.Fatalf("only %d rules find a token without a name", lists)
	}
}
