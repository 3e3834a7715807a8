package management

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/redact"
)

// Secrets are taken out across the borders of chunks, and nothing else is changed.
func TestSecretsInPiecesAreMasked(t *testing.T) {
	r, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	key := "-----BEGIN RSA PRIVATE KEY-----\r\n" +
		strings.Repeat("MIIEowIBAAKCAQEA7bq0Vxyz0123456789abcdefghijklmnopqrstuvwxyzABCD\r\n", 3) +
		"-----END RSA PRIVATE KEY-----"
	hex := "0123456789abcdefghijklmnopqrstuvwxyz"
	secrets := []string{"sk-" + strings.Repeat("A", 20), "sk-" + "ant-api03-" + hex, "gh" + "p_" + hex,
		"github_" + "pat_" + hex[:22], key}
	rapid.Check(t, func(t *rapid.T) {
		var whole, secretsIn strings.Builder
		for range rapid.IntRange(1, 6).Draw(t, "parts") {
			whole.WriteString(rapid.SampledFrom([]string{"plain text ", "task-list and ask-me\r\n", "\x1b[31mred\x1b[m ",
				"日本 ", "a\r\n"}).Draw(t, "text"))
			if rapid.Bool().Draw(t, "secret") {
				secret := rapid.SampledFrom(secrets).Draw(t, "which")
				whole.WriteString(secret + " ")
				secretsIn.WriteString(secret)
			}
		}
		c := newCleaner(r)
		var out bytes.Buffer
		for rest := whole.String(); rest != ""; {
			n := min(len(rest), rapid.IntRange(1, 60).Draw(t, "cut"))
			out.Write(c.add([]byte(rest[:n])))
			rest = rest[n:]
		}
		out.Write(c.rest())
		for _, secret := range secrets {
			for _, part := range []string{secret, secret[len(secret)/2:]} {
				if strings.Contains(out.String(), part) {
					t.Fatalf("%q holds %q", out.String(), part)
				}
			}
		}
		if secretsIn.Len() == 0 && out.String() != whole.String() {
			t.Fatalf("%q became %q", whole.String(), out.String())
		}
		for _, word := range []string{"plain text ", "task-list and ask-me\r\n", "\x1b[31mred\x1b[m ", "日本 "} {
			if strings.Count(out.String(), word) != strings.Count(whole.String(), word) {
				t.Fatalf("%q is not whole in %q, of %q", word, out.String(), whole.String())
			}
		}
	})
}

// BenchmarkCleaner is output that holds no secret, but letters of one's beginning ("gh").
// The quick looks never overlook what the patterns match.
func TestQuickLooksShowNoSecrets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "parts") {
			text.WriteString(rapid.SampledFrom([]string{"sk-", "GHP_", "ghr_", "github_pat_", "AKIA", "akia", "xoxb-",
				"glpat-", "eyJ", "EYJ", "-----BEGIN", "key", "Token",
				"secret", "passwd", "PWD", "author", "bearer", "Bearer", "BEARER", "RSA PRIVATE KEY-----", "=", ":", " ", "\n",
				"\"", "'", "-", "_", strings.Repeat("aB3", 10), "x"}).Draw(t, "part"))
		}
		b := []byte(text.String())
		if original().Match(b) && !hinted(string(b)) {
			t.Errorf("%q is not hinted", b)
		}
		if holdWord().Match(b) != isHeld(string(b)) {
			t.Errorf("%q: held %v", b, isHeld(string(b)))
		}
		if holdBefore().Match(b) != announces(string(b)) {
			t.Errorf("%q: announced %v", b, announces(string(b)))
		}
	})
}
