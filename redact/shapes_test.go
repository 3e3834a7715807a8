package redact_test

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/redact"
	"github.com/ptyrec/ptyrec/redact/shapes"
)

// Issue 12, 2.5: about 25 of 85 shapes passed.
//
// However a secret is drawn, nothing is left of it.
func TestShapesAsTheyAreShown(t *testing.T) {
	r := newRedactor(t)
	for _, c := range secrets {
		whole := c.Before + c.Secret + strings.TrimRight(c.After, "\r\n")
		if strings.Contains(whole, "\n") {
			continue
		}
		piped := ""
		if c.Rule == "piped-password" && strings.HasPrefix(c.After, " |") {
			piped = c.After // without it nothing says that it is one
		}
		for how, text := range map[string]string{
			"Markdown, bold": "**" + whole + "**", "Markdown, code": "`" + whole + "`", "Markdown, secret in bold": c.Before + "**" + c.Secret + "**" + piped, "quoted": c.Before + `"` + c.Secret + `"` + piped,
			"list": "- " + whole, "diff": "+" + whole, "numbered": "  12 +  " + whole, "box": "╭────╮\n│ " + whole + " │\n╰────╯", "prompt": "$ " + whole, "JSON": `{"text":"` + whole + `"}`,
		} {
			if (strings.ContainsAny(c.Before, "`'\"") || c.Rule == "url-password") && !strings.Contains(text, whole) {
				continue // it has marks of its own, or takes none
			}
			if n := leftOver(withoutMarks(r.Text(text, nil)), c.Secret); n > 3 {
				t.Errorf("%s, %s: %d characters left of %q", c.Rule, how, n, text)
			}
		}
		for how, chunks := range map[string][]string{
			"plain": {whole + "\r\n"}, "bold": {"\x1b[1m" + whole + "\x1b[m\r\n"}, "code": {c.Before + "\x1b[38;5;153m" + c.Secret + "\x1b[39m" + c.After},
			"two colours": {c.Before + "\x1b[32m" + c.Secret[:4] + "\x1b[1;31m" + c.Secret[4:] + "\x1b[m" + c.After}, "box": {"│ " + whole + " │\r\n"},
			"key by key": strings.Split(whole+"\r\n", ""), "line by line": redrawn(whole),
		} {
			masked, found := mask(r, chunks...)
			if n := leftOver(strings.Join(masked, ""), c.Secret); n > 12 || found[c.Rule] == 0 && c.Rule != "generic-api-key" {
				t.Errorf("%s, %s: %d characters left, found %v: %q", c.Rule, how, n, found, masked)
			}
		}
	}
}

// Issue 12, 2.5: a list of other shapes, of which 166 of 446 passed.
//
// However a text with a secret is drawn or wrapped, nothing is left of it.
func TestE12MoreShapes(t *testing.T) {
	r := newRedactor(t)
	if len(shapes.More) < 140 {
		t.Fatalf("%d shapes", len(shapes.More))
	}
	for _, c := range shapes.More {
		whole := c.Before + c.Secret + c.After
		found := map[string]int{}
		if r.Text(whole, found); found[c.Rule] == 0 {
			t.Errorf("%s: found %v in %q", c.Rule, found, whole)
		}
		for how, text := range map[string]string{
			"plain": whole, "bold": "**" + whole + "**", "code": "`" + whole + "`", "box": "╭────╮\n│ " + whole + " │\n╰────╯",
			"wrapped": wrapWords(whole, 60), "wrapped in a box": wrap(whole, 76, "│ ", " │"),
		} {
			if n := leftOver(withoutMarks(r.Text(text, nil)), c.Secret); n > max(4, len(c.Secret)/4) {
				t.Errorf("%s, %s: %d characters left of %q", c.Rule, how, n, text)
			}
		}
		masked, _ := mask(r, c.Before+"\x1b[32m"+c.Secret[:4]+"\x1b[1;31m"+c.Secret[4:]+"\x1b[m"+c.After+"\r\n")
		if n := leftOver(strings.Join(masked, ""), c.Secret); n > 12 || n == len(c.Secret) {
			t.Errorf("%s, two colours: %d characters left: %q", c.Rule, n, masked)
		}
	}
}

// wrapWords wraps text between words, as agents do.
func wrapWords(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Split(text, " ") {
		switch {
		case i > 0 && column+1+len(word) > width:
			b.WriteString("\n  ")
			column = 2
		case i > 0:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// redrawn is how a line editor draws what is typed, that draws the whole line for each key.
func redrawn(text string) (chunks []string) {
	for i := range text {
		chunks = append(chunks, "\r\x1b[K"+text[:i])
	}
	return append(chunks, "\r\x1b[K"+text, "\r\n")
}

func withoutMarks(text string) string {
	for {
		start := strings.Index(text, redact.Mark("")[:len(redact.Mark(""))-1])
		if start < 0 {
			return text
		}
		end := strings.IndexByte(text[start:], ']')
		text = text[:start] + text[start+end+1:]
	}
}
