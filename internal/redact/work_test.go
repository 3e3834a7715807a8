package redact

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// wordTexts returns texts of about size bytes that are full of a word: among other words, or each
// time with a text that may follow it in a secret.
func wordTexts(word string, size int) map[string]string {
	random := rand.New(rand.NewPCG(1, 2))
	filler := strings.Fields("the cache build of it all and a test in main.go for http://x/y foo=1 v2.3 -p -u a:b 2048")
	rows := func(every int) string {
		var b strings.Builder
		for b.Len() < size {
			for range 14 {
				next := word
				if random.IntN(every) > 0 {
					next = filler[random.IntN(len(filler))]
				}
				b.WriteString(next + " ")
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	texts := map[string]string{"sparse rows": rows(140), "rows": rows(14), "dense rows": rows(2)}
	for _, tail := range []string{"", " ", "\n", "=", ": ", " is the best ", ": abcdefgh\n", "=abcdef1h ",
		`="abcdef1h", `, " -p -u a: ", " 'a", "1/", "-", "_a",
		",", ",name\n", "  id\n", "\t", " | a | ", " = a1b2c3d4e5f6g7h8\n", ": value: ", " Kf93mQvTz1x! "} {
		texts[tail] = strings.Repeat(word+tail, 1+size/len(word+tail))
	}
	return texts
}

// A text full of words that rules look for takes little work, however few secrets it has. Searching
// the surroundings of each word with a pattern would take hundreds of bytes for each byte of text.
func TestWordsAreNoWork(t *testing.T) {
	const size = 5000
	texts, patterns, outlines := 0, 0, 0
	for n, word := range knownWords {
		if testing.Short() && n%8 != 0 {
			continue
		}
		for name, text := range wordTexts(word, size) {
			before := bytesOutlined()
			v := fold(text)
			_, around := findKnown(v)
			views := []*view{v, v.unwrap(around), v.hardWrap(around)}
			searched := sum(v.effort.blocks)
			v.columns()
			outlined := v.tabled
			for _, v := range views[1:] {
				findKnown(v)
				searched += sum(v.effort.blocks)
			}
			outlined += bytesOutlined() - before
			if searched > 150*len(text) || outlined > 200*len(text) {
				t.Errorf("%q, %q: patterns take the work of %d bytes, automata and columns read %d, of %d", word, name, searched,
					outlined, len(text))
			}
			texts, patterns, outlines = texts+len(text), patterns+searched, outlines+outlined
		}
	}
	if patterns > 3*texts || outlines > 6*texts {
		t.Errorf("patterns take the work of %d bytes, automata and columns read %d, of %d", patterns, outlines, texts)
	}
	t.Logf("patterns take the work of %.2f bytes a byte, automata and columns read %.2f",
		float64(patterns)/float64(texts), float64(outlines)/float64(texts))
}

// bytesOutlined returns how many bytes outlines and filters have read so far.
func bytesOutlined() (n int) {
	for _, f := range filters() {
		n += f.read
	}
	for _, r := range knownRules {
		if r.outline != nil {
			n += r.outline.read
		}
	}
	return n
}

func sum(numbers []int) (n int) {
	for _, k := range numbers {
		n += k
	}
	return n
}

func BenchmarkWords(b *testing.B) {
	r, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, every := range []string{"sparse rows", "rows", "dense rows", "=", ": abcdefgh\n", "=abcdef1h "} {
		b.Run(strings.TrimSpace(every), func(b *testing.B) {
			var texts []string
			size := 0
			for _, word := range knownWords {
				text := wordTexts(word, 2000)[every]
				texts, size = append(texts, text), size+len(text)
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, text := range texts {
					r.Find(text)
				}
			}
		})
	}
}

// Secrets in a text that is made to take long are hidden, even if no pattern searches it any more.
func TestSecretsInTextMadeToTakeLong(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"pwd=", "pw=", "passphrase=", "curl -u a:abcd xh ", "key=key1=",
		"-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAAAAA\n"} {
		hostile := strings.Repeat(word, 1+3*effortBlock/len(word))
		v := fold(hostile)
		findKnown(v)
		for _, c := range []struct{ before, secret string }{
			{"password=", "Kf93mQvTz1x"}, {"token ", "ghp_" + "x7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6I"},
			{"curl -u bob:", "Kf93mQvTz1x https://acme.io"},
			{"", "-----BEGIN PRIVATE KEY-----\n" +
				strings.Repeat("MIIEvQIBADANx7Kd93mQvTz1LrPw8YbNcE5hJ2gUsA4fRo6Ix7Kd93mQvTz1LrPw\n", 9) +
				"-----END PRIVATE KEY-----"},
		} {
			text := r.Text(hostile+"\n"+c.before+c.secret+"\n"+hostile, nil)
			for row := range strings.Lines(c.secret) {
				if row = row[:min(len(row), 11)]; !strings.HasPrefix(row, "-----") && strings.Contains(text, row) {
					t.Errorf("among %q, %q is left", word, row)
				}
			}
		}
		if sum(v.effort.blocks) < 2*effortBlock {
			t.Errorf("%q takes no effort", word)
		}
	}
}

// Each secret in a text is compared with the marks and breaks near it only, however many others
// the text has.
func TestManyMarksAmongSecrets(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	const tokens = 10_000
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for n := range tokens {
		token := make([]byte, 36)
		for i := range token {
			token[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[random.IntN(62)]
		}
		b.WriteString("ghp_" + string(token) + "\n")
		if n%2 == 0 {
			b.WriteString(Mark("jwt") + "\n")
		}
	}
	v := fold(b.String())
	matches := r.find(v)
	for _, m := range matches {
		v.value(m)
	}
	if len(matches) != tokens || len(v.folds) < tokens/2-1 {
		t.Fatalf("%d matches and %d breaks among %d tokens", len(matches), len(v.folds), tokens)
	}
	if v.compared > 5*tokens {
		t.Errorf("%d comparisons for %d secrets", v.compared, tokens)
	}
}

// No match ends after its text, even if all of the work for the text's last row was spent before.
func TestNoMatchEndsAfterItsText(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"password", "passphrase", "pwd", "token ", "key", "-----BEGIN PRIVATE KEY-----"} {
		for _, row := range []string{"=abcd1234\n", " abcde1\nfgh ijk\n", "  abcd!234\n", "=\"abcd1 ", " is abcd1efgh\n"} {
			text := strings.Repeat(word+row, 1+4*effortBlock/len(word+row))
			for _, cut := range []int{0, 1, 2, 7} {
				text := text[:len(text)-cut]
				for _, m := range r.Find(text) {
					if m.Start >= m.End || m.End > len(text) {
						t.Fatalf("%q cut by %d: %v of %d bytes", word+row, cut, m, len(text))
					}
				}
			}
		}
	}
}

// The word in a mark names nothing, neither the next row of a table nor, when that has become a
// mark, the row after it.
func TestWordsInMarksNameNothing(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Repeat("|passwd_klO5FqptaA07GWfTLWBM69W6b4esaqdLMzbiBxui\n", 50)
	found := map[string]int{}
	if got, want := r.Text("password=Kf93mQvTz1x\n"+rows, found), "password="+Mark("password")+"\n"+rows; got != want {
		t.Errorf("got %q, found %v", got, found)
	}
}

// A text is searched few times, even if each search finds a secret that the one before has not.
func TestTextIsSearchedFewTimes(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	token := make([]byte, 200_000)
	for i := range token {
		token[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[random.IntN(62)]
	}
	found := map[string]int{}
	r.Text("secret_key="+string(token), found)
	if n := found["framework-key"]; n == 0 || n > 5 {
		t.Errorf("found %v, want a part of the token in each of up to 5 searches", found)
	}
}

// TestLongTokenIsMaskedWhole masks a token to its end, however long it is, in texts of any length.
func TestLongTokenIsMaskedWhole(t *testing.T) {
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, below := range []int{0, 10_000} {
		for _, length := range []int{500, 1_000, 2_000, 5_000, 50_000} {
			token := make([]byte, length)
			for i := range token {
				token[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[random.IntN(62)]
			}
			got := r.Text("secret_key="+string(token)+"\n"+strings.Repeat("an ordinary line of text\n", below), nil)
			for i := 0; i+20 <= length; i += 20 {
				if strings.Contains(got, string(token[i:i+20])) {
					t.Errorf("a token of %d bytes above %d lines: bytes from %d are left", length, below, i)
					break
				}
			}
		}
	}
}
