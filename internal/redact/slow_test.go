package redact_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/redact"
)

// A user's own pattern is searched for at each break of a row. If that went back to the text's
// beginning each time, this would take minutes.
func TestOwnPatternInManyLines(t *testing.T) {
	r, err := redact.New(redact.Options{Unknown: true, Patterns: []redact.Pattern{{Name: "home", Regexp: `/home/ann/x`}}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a line of output, to be read and sent\n", 60_000) + "cd /home/ann/x\n"
	found := r.Find(text)
	if len(found) != 1 || found[0].Rule != "home" || text[found[0].Start:found[0].End] != "/home/ann/x" {
		t.Errorf("found %v, want the folder in the last row", found)
	}
}

// Texts in which many words call for a rule and little is a secret must not take for ever: no time
// is asserted, a test that hangs is seen.
func BenchmarkHostile(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	base64 := func(n int) string {
		const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		out := make([]byte, n)
		for i := range out {
			out[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(out)
	}
	var dump strings.Builder
	for range 1400 {
		dump.WriteString(base64(76) + "\n")
	}
	r := newRedactor(b)
	for name, text := range map[string]string{
		"base64":   dump.String(),
		"jwt":      strings.Repeat("eyJhbGciOiJIUzI1\n", 6000),
		"key":      strings.Repeat("key=12345,token:\n", 6000),
		"begin":    strings.Repeat("-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAAAAA\n", 2000),
		"minified": strings.Repeat("a.key=b,c.token=d[0],", 5000),
		"curl":     strings.Repeat("curl -H 'a: b' -u \n", 5000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Find(text)
			}
		})
	}
}
