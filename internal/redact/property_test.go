package redact_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ptyrec/ptyrec/internal/redact"
)

// words are what texts are made of: prose, code, things that look like secrets, and secrets.
func words() []string {
	all := []string{"the", "key", "is", "token:", "password", "=", "https://", "dev:", "@host", "Bearer", "\n", "\n  ",
		" │\n│ ", " ", "  ", "\t",
		"\"", "curl -H", "-u", "a:b", "[redacted:jwt]", "[redacted:", "]", "ghp_", "sk-ant-", "AKIA", "eyJ", "-----BEGIN",
		"0123456789abcdef", "Größe", "漢字", "\xff"}
	for _, c := range secrets {
		all = append(all, c.Secret, c.Before, c.Secret[:len(c.Secret)/2], c.Secret[len(c.Secret)/2:])
	}
	return all
}

// Redacting twice changes nothing, what is outside of the matches stays, and matches are in
// order.
func TestRedactTwice(t *testing.T) {
	r := newRedactor(t)
	all := words()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(all), 1, 12).Draw(t, "words"),
			rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		check(t, r, text)
	})
}

func check(t rapid.TB, r *redact.Redactor, text string) {
	at, want := 0, ""
	for _, m := range r.Find(text) {
		if m.Start < at || m.End <= m.Start || m.End > len(text) {
			t.Fatalf("match %+v behind byte %d of %q", m, at, text)
		}
		want += text[at:m.Start] + redact.Mark(m.Rule)
		at = m.End
	}
	want += text[at:]
	once := r.Text(text, nil)
	if len(r.Find(want)) == 0 && once != want {
		t.Fatalf("%q becomes %q, want %q", text, once, want)
	}
	if twice := r.Text(once, nil); twice != once {
		t.Fatalf("%q becomes %q and then %q", text, once, twice)
	}
}

func FuzzText(f *testing.F) {
	for _, c := range secrets {
		f.Add(c.Before + c.Secret + c.After)
		f.Add(wrap(c.Before+strings.ReplaceAll(c.Secret, "\n", " "), 20, "│ ", " │"))
	}
	r := newRedactor(f)
	f.Fuzz(func(t *testing.T, text string) { check(t, r, text) })
}

// Real conversations hold no secrets: nothing is found in them.
func TestRealTexts(t *testing.T) {
	r := newRedactor(t)
	files, err := filepath.Glob("../../testdata/transcripts/*/*/truth.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Find(string(text)) {
			t.Errorf("%s: %s: %q", file, m.Rule, text[m.Start:m.End])
		}
	}
}

func BenchmarkText(b *testing.B) {
	r := newRedactor(b)
	var real strings.Builder
	files, _ := filepath.Glob("../../testdata/transcripts/*/*/truth.json") // an empty list fails below
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		real.Write(text)
	}
	dense := strings.Builder{} // a secret each 2 KiB, and words such as "key" in each line
	for dense.Len() < 1<<20 {
		for _, c := range secrets {
			dense.WriteString("the key of the access token is in the password file: " + c.Before + c.Secret + c.After + "\n")
			dense.WriteString(strings.Repeat("authorize the api with credentials, key: value, token = next.Token()\n", 30))
		}
	}
	for name, text := range map[string]string{"real": real.String(), "dense": dense.String()} {
		if text == "" {
			b.Fatal("no texts")
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				r.Text(text, nil)
			}
		})
	}
}
