package redact_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/redact/shapes"
)

// About 25 of 85 shapes passed.
//
// However a secret is drawn, nothing is left of it.
func TestShapesAsTheyAreShown(t *testing.T) {
	r := newRedactor(t)
	for i, c := range secrets {
		if testing.Short() && i%8 != 0 { // make test has all
			continue
		}
		whole := c.Before + c.Secret + strings.TrimRight(c.After, "\r\n")
		if strings.Contains(whole, "\n") {
			continue
		}
		piped := ""
		if c.Rule == "piped-password" && strings.HasPrefix(c.After, " |") {
			piped = c.After // without it nothing says that it is one
		}
		for how, text := range map[string]string{
			"Markdown, bold": "**" + whole + "**", "Markdown, code": "`" + whole + "`",
			"Markdown, secret in bold": c.Before + "**" + c.Secret + "**" + piped,
			"quoted":                   c.Before + `"` + c.Secret + `"` + piped,
			"list":                     "- " + whole, "diff": "+" + whole, "numbered": "  12 +  " + whole,
			"box": "╭────╮\n│ " + whole + " │\n╰────╯", "prompt": "$ " + whole, "JSON": `{"text":"` + whole + `"}`,
		} {
			if (strings.ContainsAny(c.Before, "`'\"") || c.Rule == "url-password") && !strings.Contains(text, whole) {
				continue // it has marks of its own, or takes none
			}
			if n := leftOver(withoutMarks(r.Text(text, nil)), c.Secret); n > 3 {
				t.Errorf("%s, %s: %d characters left of %q", c.Rule, how, n, text)
			}
		}
		for how, chunks := range map[string][]string{
			"plain": {whole + "\r\n"}, "bold": {"\x1b[1m" + whole + "\x1b[m\r\n"},
			"code":        {c.Before + "\x1b[38;5;153m" + c.Secret + "\x1b[39m" + c.After},
			"two colours": {c.Before + "\x1b[32m" + c.Secret[:4] + "\x1b[1;31m" + c.Secret[4:] + "\x1b[m" + c.After},
			"box":         {"│ " + whole + " │\r\n"},
			"key by key":  strings.Split(whole+"\r\n", ""), "line by line": redrawn(whole),
		} {
			masked, found := mask(r, chunks...)
			if n := leftOver(strings.Join(masked, ""), c.Secret); n > 12 || found[c.Rule] == 0 && c.Rule != "generic-api-key" {
				t.Errorf("%s, %s: %d characters left, found %v: %q", c.Rule, how, n, found, masked)
			}
		}
	}
}

// A list of other shapes, of which 166 of 446 passed.
//
// However a text with a secret is drawn or wrapped, nothing is left of it.
func TestSecretsOfMoreShapes(t *testing.T) {
	r := newRedactor(t)
	if n := len(shapes.More()); n < 140 {
		t.Fatalf("%d shapes", n)
	}
	for i, c := range shapes.More() {
		if testing.Short() && i%8 != 0 { // make test has all
			continue
		}
		whole := c.Before + c.Secret + c.After
		found := map[string]int{}
		if r.Text(whole, found); found[c.Rule] == 0 {
			t.Errorf("%s: found %v in %q", c.Rule, found, whole)
		}
		for how, text := range map[string]string{
			"plain": whole, "bold": "**" + whole + "**", "code": "`" + whole + "`", "box": "╭────╮\n│ " + whole + " │\n╰────╯",
			"wrapped": wrapWords(whole, 60), "wrapped in a box": wrap(whole, 76, "│ ", " │"),
			"wrapped in a narrow box": wrap(strings.ReplaceAll(whole, "\n", " "), 44, "│ ", " │"),
			"a string":                `{"text":"` + strings.ReplaceAll(whole, `"`, `\"`) + `"}`,
			"a string in a string":    `"{\"text\":\"` + strings.ReplaceAll(whole, `"`, `\\\"`) + `\"}"`,
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

// A table whose cells hold nothing but bars made redaction panic.
func TestTableOfBars(t *testing.T) {
	r := newRedactor(t)
	for _, bar := range []string{"│", "┃", "|", "║"} {
		text := "the mysql password is in a long enough row\n" + strings.Repeat(bar, 30) + " " + bar + "\n" + bar + " x of it"
		if got := r.Text(text, nil); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Where a row ends behind a quote, before one, or at a pipe, a password passed.
func TestSecretsCutAtSigns(t *testing.T) {
	r := newRedactor(t)
	for text, secret := range map[string]string{
		"Authorization: Digest username=\"anna\", response=\"\nc285a522dab5bff7eb92676c9bc740ed\"": "c285a522dab5bff7eb926" +
			"76c9bc740ed",
		"<user name=\"anna\" password=\"\nDiZ5Ns4x9g7\"/>": "DiZ5Ns4x9g7",
		"          <add key=\"ApiKey\" value=\n\"M0qbPrR5Nua4QY2UEX2LoqNqd3VDWgq5\" />": "M0qbPrR5Nua4QY2UEX2Lo" +
			"qNqd3VDWgq5",
		"Set root's password to `\n91fNP8qCD7`.":                             "91fNP8qCD7",
		"│ printf '%s' 'eqGGmjQwmT7' | │\n│ cryptsetup open /dev/sda2 c - │": "eqGGmjQwmT7",
		"printf '%s' 'eqGGmjQwmT7' |\n  cryptsetup open /dev/sda2 c -":       "eqGGmjQwmT7",
		"| API_KEY |\n  x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4f |": "x7Kd93mQvTz1LrPw8YbNc" +
			"E5hJ2gUsA4f",
		"curl -b\n  'session=x7Kd93mQvTz1LrPw8YbN'\n  https://host":                             "x7Kd93mQvTz1LrPw8YbN",
		"{\"env\": \"curl -d \\\"{\\\\\\\"password\\\\\\\":\\\\\\\"8b1BLs36oG7\\\\\\\"}\\\"\"}": "8b1BLs36oG7",
		"config/app.env:12:db.internal:5432:shop:bob:Tr0ub4dor-x9":                              "Tr0ub4dor-x9",
	} {
		if got := r.Text(text, nil); leftOver(withoutMarks(got), secret) > 3 {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A fifth of all keys of 32 hexadecimal digits were not random enough behind the word key. Those
// with a word of gitleaks' list in them, such as dead, still pass.
func TestHexKeysAreHidden(t *testing.T) {
	r := newRedactor(t)
	passed := 0
	for i := range 1000 {
		key := fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))[:32]
		if got := r.Text("api_key = "+key, nil); leftOver(withoutMarks(got), key) > 3 {
			passed++
		}
	}
	if passed > 5 {
		t.Errorf("%d of 1000 keys pass", passed)
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
