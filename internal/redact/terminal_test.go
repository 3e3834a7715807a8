package redact_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/redact"
)

const (
	pat    = "ghp_" + "x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I"
	apiKey = "sk-proj-" + "x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I" // of any length
)

// mask hides the secrets in the chunks of an output.
func mask(r *redact.Redactor, chunks ...string) (masked []string, found map[string]int) {
	t := r.Terminal()
	out := make([][]byte, len(chunks))
	for i, c := range chunks {
		out[i] = []byte(c)
	}
	first, second := t.Stream(), t.Stream()
	var patches []redact.Patch
	for _, find := range []func([]byte) []redact.Patch{first.Find, second.FindParts} {
		for _, c := range chunks {
			patches = append(patches, find([]byte(c))...)
		}
		patches = append(patches, find(nil)...)
	}
	for _, p := range patches {
		copy(out[p.Chunk][p.Offset:], p.Data)
	}
	for _, c := range out {
		masked = append(masked, string(c))
	}
	return masked, t.Found()
}

func TestTerminal(t *testing.T) {
	r := newRedactor(t, redact.Pattern{Name: "word", Regexp: "geheim|密码|péché"})
	stars := func(n int) string { return strings.Repeat("*", n) }
	for name, c := range map[string]struct{ chunks, want []string }{
		"plain": {[]string{"token " + pat + "\r\n$ "}, []string{"token " + stars(40) + "\r\n$ "}},
		"coloured": {[]string{"\x1b[1m" + pat[:9] + "\x1b[31;1m" + pat[9:] + "\x1b[m."},
			[]string{"\x1b[1m" + stars(9) + "\x1b[31;1m" + stars(31) + "\x1b[m."}},
		"chunks": {[]string{"a " + pat[:2], pat[2:3], "\x1b[", "m" + pat[3:] + "\n"},
			[]string{"a **", "*", "\x1b[", "m" + stars(37) + "\n"}},
		"cut": {[]string{"key: " + pat[:20] + "\r\n  " + pat[20:] + "\r\n"},
			[]string{"key: " + stars(20) + "\r\n  " + stars(20) + "\r\n"}},
		"moved": {[]string{"\x1b[3;1Hkey: " + pat[:20] + "\x1b[K\x1b[4;3H" + pat[20:]},
			[]string{"\x1b[3;1Hkey: " + stars(20) + "\x1b[K\x1b[4;3H" + stars(20)}},
		"box": {[]string{"│ " + pat[:20] + " │\r\n│ " + pat[20:] + " │\r\n"},
			[]string{"│ " + stars(20) + " │\r\n│ " + stars(20) + " │\r\n"}},
		"shell": {[]string{"$ echo " + pat[:20] + " \r" + pat[20:] + "\r\n"},
			[]string{"$ echo " + stars(20) + " \r" + stars(20) + "\r\n"}},
		"title": {[]string{"\x1b]0;run " + pat + "\x07ok"}, []string{"\x1b]0;run " + stars(40) + "\x07ok"}},
		"notice": {[]string{apiKey + "\x1b]777;notify;8;done\x07" + apiKey + "\x1b]9;4;1;50\x1b\\77"},
			[]string{stars(len(apiKey)) + "\x1b]777;notify;8;done\x07" + stars(len(apiKey)) + "\x1b]9;4;1;50\x1b\\77"}},
		"typed": {[]string{pat[:19], "\r\x1b[K" + pat[:30], "\r\x1b[K" + pat},
			[]string{stars(19), "\r\x1b[K" + stars(30), "\r\x1b[K" + stars(40)}},
		"bit by bit": {append(strings.Split(pat, ""), "\r\n", pat), append(strings.Split(stars(40), ""), "\r\n", stars(40))},
		"wide":       {[]string{"密码 geheim péché"}, []string{"**\x00**\x00 ****** **\x00***\x00"}},
		"harmless": {[]string{"-----BEGIN CERTIFICATE-----\r\nghp_ and \x1b]8;;http://a/b\x1b\\c"},
			[]string{"-----BEGIN CERTIFICATE-----\r\nghp_ and \x1b]8;;http://a/b\x1b\\c"}},
	} {
		got, _ := mask(r, c.chunks...)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if again, found := mask(r, got...); !cmp.Equal(got, again) || len(found) > 0 {
			t.Errorf("%s, again: %q, found %v", name, again, found)
		}
	}
}

// However the output is cut into chunks, drawn and wrapped: nothing of the secret is left, and
// nothing else has changed.
func TestTerminalRapid(t *testing.T) {
	r := newRedactor(t)
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(secrets).Draw(t, "secret")
		if strings.Contains(c.Before+c.Secret, "\n") || c.Rule == "generic-api-key" || inPlace[c.Rule] {
			t.Skip()
		}
		whole := c.Before + c.Secret + strings.TrimRight(c.After, "\r\n")
		text := whole + "\r\n"
		if width := rapid.IntRange(12, 100).Draw(t, "width"); width < len(whole) {
			text = strings.ReplaceAll(wrap(whole, width, "  ", ""), "\n",
				rapid.SampledFrom([]string{"\r\n", "\x1b[K\x1b[7;1H"}).Draw(t, "break"))
		}
		var chunks []string
		for text != "" {
			n := rapid.IntRange(1, len(text)).Draw(t, "chunk")
			chunks, text = append(chunks, text[:n]), text[n:]
		}
		got, found := mask(r, chunks...)
		all := strings.Join(got, "")
		if n := leftOver(all, c.Secret); n > 3 || found[c.Rule] == 0 {
			t.Fatalf("%d characters left, found %v: %q", n, found, all)
		}
		for i := range chunks {
			for k := range []byte(chunks[i]) {
				if a, b := chunks[i][k], got[i][k]; a != b && b != '*' {
					t.Fatalf("%q becomes %q", chunks, got)
				}
			}
		}
	})
}

func FuzzTerminal(f *testing.F) {
	f.Add([]byte("a\x1b[31m"+pat+"\x1b]0;"+pat+"\x1b\\\r\n\x1bP"+pat), 7)
	f.Add([]byte("\x1b]52;c;Z2hwX3g3S2Q5M21RdlR6MUxyUHc4WWJOY0U1aEoyZ1VzQTRmUm82SQ==\a"), 20)
	f.Add([]byte("│ "+pat[:20]+" │\r\n│ "+pat[20:]+"\xe5\xaf"), 3)
	r := newRedactor(f)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		if len(data) == 0 {
			return
		}
		cut = max(0, min(cut, len(data)))
		got, _ := mask(r, string(data[:cut]), string(data[cut:]))
		if again, _ := mask(r, got...); strings.Join(again, "") != strings.Join(got, "") {
			t.Errorf("%q, again: %q", got, again)
		}
		if n := len(strings.Join(got, "")); n != len(data) {
			t.Errorf("%d bytes become %d", len(data), n)
		}
	})
}

func BenchmarkTerminal(b *testing.B) {
	chunk := bytes.Repeat([]byte("\x1b[2K\x1b[38;5;246m  the token of the key is \x1b[1mnot\x1b[22m here\x1b[39m, nor "+
		"the password\r\n"), 50)
	r := newRedactor(b)
	b.SetBytes(int64(500 * len(chunk)))
	for b.Loop() {
		s := r.Terminal().Stream()
		for range 500 {
			s.Find(chunk)
		}
		s.Find(nil)
	}
}
