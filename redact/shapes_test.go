package redact_test

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/redact"
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
