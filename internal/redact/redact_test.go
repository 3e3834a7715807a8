package redact_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/redact/shapes"
)

func newRedactor(t testing.TB, patterns ...redact.Pattern) *redact.Redactor {
	t.Helper()
	r, err := redact.New(redact.Options{Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// secrets are one of each shape.
var secrets = shapes.All()

func TestText(t *testing.T) {
	r := newRedactor(t)
	for _, c := range secrets {
		t.Run(c.Rule, func(t *testing.T) {
			found := map[string]int{}
			got := r.Text(c.Before+c.Secret+c.After, found)
			if diff := cmp.Diff(c.Before+redact.Mark(c.Rule)+c.After, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(map[string]int{c.Rule: 1}, found); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			if again := r.Text(got, nil); again != got {
				t.Errorf("again: %q", again)
			}
		})
	}
}

// What looks like a secret and is none.
func TestHarmless(t *testing.T) {
	r := newRedactor(t)
	for _, text := range []string{
		"commit 9f2c1d7e8b3a4f5061728394a5b6c7d8e9f00112",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"session 0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
		"export OPENAI_API_KEY=$KEY and ANTHROPIC_API_KEY=${ANTHROPIC_API_KEY}",
		"http://localhost:8080/users/@me git@github.com:a/b.git",
		"postgres://user:password@localhost/db",
		"The key is authentication: tokens are authenticated by the authorization server.",
		"Authorization: Bearer <token>", "bearer authentication-of-everything-here",
		"ghp_short", "AKIAIOSFODNN7EXAMPLE",
		"key: value\nother: thing\npassword: \nname",
		"key = tls13.ExpandLabel(c.hash.New, x)", "PrivateKey: testRSA2048PrivateKey,", "PrivateKey = testEd25519PrivateKey",
		"⏺ Read(src/auth/token_test.go)\n  ⎿  Read 120 lines",
	} {
		if got := r.Text(text, nil); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// inPlace are the rules of secrets that are known only by what precedes them.
var inPlace = map[string]bool{"named-token": true, "cookie-header": true, "command-password": true,
	"netrc-password": true, "password": true,
	"pin": true, "piped-password": true, "session-id": true, "otp-secret": true, "pgpass": true}

// wrap cuts text after width cells and begins each row so, as terminals and agents do.
func wrap(text string, width int, begin, end string) string {
	var rows []string
	for len(text) > width {
		rows = append(rows, begin+text[:width]+end)
		text = text[width:]
	}
	return strings.Join(append(rows, begin+text+strings.Repeat(" ", width-len(text))+end), "\n")
}

// Wherever a row ends in a token, nothing of it is left.
func TestWrapped(t *testing.T) {
	r := newRedactor(t)
	for i, c := range secrets {
		if testing.Short() && i%8 != 0 { // make test has all
			continue
		}
		if strings.ContainsAny(c.Secret, " \n") || c.Rule == "generic-api-key" || strings.Contains(c.Before, "\n") {
			continue
		}
		text := c.Before + c.Secret + c.After
		if strings.Contains(c.After, "\n") {
			text = c.Before + c.Secret
		}
		for _, box := range []struct{ begin, end string }{{"", ""}, {"  ", ""}, {"│ ", " │"}} {
			narrowest := 12
			if inPlace[c.Rule] { // what says that it is one is in one row, with its beginning
				narrowest = max(12, len(c.Before)+4)
			}
			if c.Rule == "piped-password" { // the command that reads it, too
				narrowest = len(text)
			}
			for width := narrowest; width < len(text); width++ {
				wrapped := wrap(text, width, box.begin, box.end) + "\n" + box.begin + "done"
				got := r.Text(wrapped, nil)
				if n := leftOver(strings.ReplaceAll(got, redact.Mark(c.Rule), ""), c.Secret); n > 3 {
					t.Errorf("%s at width %d: %d characters left:\n%s\nof\n%s", c.Rule, width, n, got, wrapped)
				}
				if inPlace[c.Rule] {
					continue
				}
				mark, after := letters(c.Before)+redact.Mark(c.Rule), letters(text[len(c.Before+c.Secret):])+"done"
				rest, ok := strings.CutPrefix(letters(got), mark)
				if tail, whole := strings.CutSuffix(rest, after); !ok || !whole || !strings.HasSuffix(c.Secret, tail) {
					t.Errorf("%s at width %d: %s, want %s:\n%s\nof\n%s", c.Rule, width, letters(got), mark+after, got, wrapped)
				}
			}
		}
	}
}

// The row below is left alone where it is no rest of a token.
func TestRowBelow(t *testing.T) {
	r := newRedactor(t)
	token := "xoxb-" + "123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx"
	for _, below := range []string{"done", "DB_HOST2=db.example.com", "- item 2", "version: 3", "\n2 files", "  next()",
		"Über", "the rest of 4"} {
		want := "SLACK_TOKEN=" + redact.Mark("slack-bot-token") + "\n" + below
		if got := r.Text("SLACK_TOKEN="+token+"\n"+below, nil); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// letters returns text without what wrap adds.
func letters(text string) string {
	return strings.NewReplacer(" ", "", "\n", "", "│", "").Replace(text)
}

// leftOver returns the length of the longest part of secret in text.
func leftOver(text, secret string) int {
	most := 0
	for i := range secret {
		for most < len(secret)-i && strings.Contains(text, secret[i:i+most+1]) {
			most++
		}
	}
	return most
}

func TestPatterns(t *testing.T) {
	r := newRedactor(t, redact.Pattern{Name: "ticket", Regexp: `ACME-(\d{6,})`},
		redact.Pattern{Name: "all", Regexp: `redacted|w.rd`})
	for text, want := range map[string]string{
		"see ACME-123456.":                 "see ACME-[redacted:ticket].",
		"a word [redacted:ticket] word":    "a [redacted:all] [redacted:ticket] [redacted:all]",
		"[redacted:nobody]":                "[[redacted:all]:nobody]",
		"long enough row ACME-123\n456 or": "long enough row ACME-[redacted:ticket] or",
	} {
		got := r.Text(text, nil)
		if got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if again := r.Text(got, nil); again != got {
			t.Errorf("%q, again: %q", got, again)
		}
	}
	for _, p := range []redact.Pattern{{Name: "A b", Regexp: "x"}, {Name: "a", Regexp: "("},
		{Name: "a", Regexp: `(?=x)`}} {
		if _, err := redact.New(redact.Options{Patterns: []redact.Pattern{p}}); err == nil {
			t.Errorf("New takes %+v", p)
		}
	}
	var none *redact.Redactor
	if got := none.Text("ghp_"+"x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I", nil); !strings.HasPrefix(got, "ghp_") {
		t.Errorf("nil redacts: %q", got)
	}
}

// A private key whose line breaks are written as in JSON was not found.
func TestPrivateKeyInJSON(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANx7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6Ix7Kd93mQvTz1LrPw\\n" +
		"YbNcE5hJ2gUsA4f=\\n-----END PRIVATE KEY-----"
	want := `"private_key": "` + redact.Mark("private-key") + `\n", "client_id": 7`
	if got := newRedactor(t).Text(`"private_key": "`+key+`\n", "client_id": 7`, nil); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
