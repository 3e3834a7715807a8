package redact_test

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/redact"
)

// A secret in a copied text is hidden with every escape sequence and alphabet of base64, and
// however the output is cut into chunks. The text keeps its length.
func TestSecretsOnTheClipboard(t *testing.T) {
	r := newRedactor(t, redact.Pattern{Name: "word", Regexp: "péché"})
	long := strings.Repeat("some lines of a file that somebody copies\n", 5500)
	for _, text := range []string{pat, "the token is " + pat + "\nand more", "a péché here", "x" + pat, "xy" + pat,
		long + "key: " + pat + "\n" + long, pat + "\n" + long} {
		std, url := base64.StdEncoding.EncodeToString([]byte(text)), base64.RawURLEncoding.EncodeToString([]byte(text))
		for i, out := range []string{
			"a\x1b]52;c;" + std + "\x07b", "a\x1b]52;;" + url + "\x1b\\b", "\x1b]52;c;" + std,
			"\x1b]1337;Copy=:" + std + "\x07", "\x1b]1337;Copy=find:" + std + "\x07",
			"\x1b]5522;type=wdata:mime=dGV4dC9wbGFpbg==;" + std + "\x1b\\",
			"\x1bPtmux;\x1b\x1b]52;c;" + std + "\x07\x1b\\", "\x1bP\x1b]52;c;" + std + "\x07\x1b\\",
			"\x1b]0;title\x07\x1b]52;p;" + std + "\x07",
		} {
			if i > 0 && len(text) > len(long) {
				continue // one of these takes long enough
			}
			var chunks []string
			for rest, n := out, 1; rest != ""; n = n*3 + 1 {
				n = min(n, len(rest))
				chunks, rest = append(chunks, rest[:n]), rest[n:]
			}
			masked, found := mask(r, chunks...)
			got := strings.Join(masked, "")
			start := strings.LastIndexAny(got[:min(len(got), 60)], ";:") + 1
			coded := regexp.MustCompile(`^[A-Za-z0-9+/_-]*`).FindString(got[start:])
			decoded, err := base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_").Replace(coded))
			want := strings.ReplaceAll(strings.ReplaceAll(text, pat, strings.Repeat("*", len(pat))), "péché", "*******")
			if err != nil || string(decoded) != want || len(found) != 1 || got[:start] != out[:start] ||
				got[start+len(coded):] != out[start+len(coded):] {
				t.Errorf("%.80q becomes %.80q, %.60q, found %v, %v", out, got, decoded, found, err)
			}
			if again, found := mask(r, masked...); strings.Join(again, "") != got || len(found) > 0 {
				t.Errorf("%.80q, again: %.80q, found %v", got, again, found)
			}
		}
	}
}

// Parts of a secret on the screen are hidden in a copied text, and a copied secret on the screen.
func TestClipboardAndScreenTellEachOther(t *testing.T) {
	r := newRedactor(t)
	copied := base64.StdEncoding.EncodeToString([]byte("x" + apiKey[4:]))
	masked, _ := mask(r, "the key: "+apiKey+"\r\n\x1b]52;c;"+copied+"\x07")
	_, coded, _ := strings.Cut(masked[0], "c;")
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(coded, "\x07"))
	if n := leftOver(string(decoded), apiKey); err != nil || n > 5 {
		t.Errorf("copied: %q, %v", decoded, err)
	}
	masked, _ = mask(r, "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte("password=Tr0ub4dor-x9"))+"\x07",
		"\r\nTr0ub4dor-x9")
	if got := masked[1]; got != "\r\n*************" && leftOver(got, "Tr0ub4dor-x9") > 5 {
		t.Errorf("shown: %q", got)
	}
}
