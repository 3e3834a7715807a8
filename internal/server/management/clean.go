package management

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/internal/redact"
)

// secretMark replaces a secret, as in the original.
const secretMark = "[REDACTED:pty-secret]"

const (
	cleanContext = 256     // bytes of earlier output to look at, which may belong to a secret
	cleanHold    = 8 << 10 // maximum number of bytes that are held back until a possible secret is complete
	cleanFrames  = 64      // number of frames to read before those that are wanted, to see a secret from its start
)

// cleaner masks secrets in the output of a session, even if they arrive in pieces: the beginning of
// a possible secret is held back until the rest has arrived. The result depends only on the bytes.
// A nil cleaner changes nothing.
type cleaner struct {
	redactor *redact.Redactor
	context  []byte // the original form of the end of what was returned
	held     []byte
	inKey    bool // within a private key whose beginning was already replaced
}

func newCleaner(r *redact.Redactor) *cleaner {
	if r == nil {
		return nil
	}
	return &cleaner{redactor: r}
}

// lead returns the number of frames that a cleaner must see before those that are wanted.
func (c *cleaner) lead() int64 {
	if c == nil {
		return 0
	}
	return cleanFrames
}

// add adds output, and returns what is ready.
func (c *cleaner) add(data []byte) []byte {
	if c == nil {
		return data
	}
	return c.pass(data, false)
}

// rest returns the rest at the end.
func (c *cleaner) rest() []byte {
	if c == nil {
		return nil
	}
	return c.pass(nil, true)
}

// span is the byte range of a secret in a text.
type span struct{ start, end int }

func (c *cleaner) pass(data []byte, last bool) []byte {
	if c.inKey {
		if data = c.skipKey(data); len(data) == 0 {
			return nil
		}
	}
	begin := len(c.context)
	text := concat(c.context, c.held, data)
	spans := c.find(text)
	end := len(text)
	if !last {
		end = max(begin, holdFrom(text))
		if n := len(spans); n > 0 && spans[n-1].end == len(text) {
			end = min(end, max(begin, spans[n-1].start)) // it may continue
		}
		if len(text)-end > cleanHold {
			end = len(text)
			c.inKey = strings.Contains(text[begin:], keyBegin)
		}
	}
	if len(spans) == 0 && begin+len(data) == len(text) && end == len(text) {
		c.keep(text)
		return data
	}
	var out []byte
	at := begin
	for _, s := range spans {
		if s.end <= at || s.start >= end {
			continue
		}
		out = append(append(out, text[at:max(at, s.start)]...), secretMark...)
		at = s.end
	}
	out = append(out, text[min(at, end):end]...)
	c.held = []byte(text[end:])
	c.keep(text[:end])
	return out
}

// concat returns the concatenated parts.
func concat(parts ...[]byte) string {
	var b strings.Builder
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	b.Grow(size)
	for _, p := range parts {
		_, _ = b.Write(p) // never fails
	}
	return b.String()
}

// keep stores the end of what was returned.
func (c *cleaner) keep(text string) {
	if len(text) == 0 {
		return
	}
	c.context = append(c.context[:0], text[max(0, len(text)-cleanContext):]...)
	if len(c.held) > 0 && strings.HasSuffix(text, string(c.held)) {
		c.held = nil
	}
}

// skipKey drops the rest of a private key, and returns what follows it.
func (c *cleaner) skipKey(data []byte) []byte {
	text := slices.Concat(c.context, data)
	c.context = append(c.context[:0], text[max(0, len(text)-cleanContext):]...)
	i := bytes.Index(text, []byte(keyEnd))
	if i < 0 {
		return nil
	}
	c.inKey = false
	rest := text[i+len(keyEnd):]
	c.context = c.context[:0]
	if _, after, found := bytes.Cut(rest, []byte("-----")); found {
		return after
	}
	return rest
}

// The well-known secrets of the original, and the delimiters of a private key.
const (
	keyBegin = " PRIVATE KEY-----"
	keyEnd   = "-----END "
)

var (
	original = lazy.Regexp(`\b(?:sk-[A-Za-z0-9_-]{16,}|github_pat_[A-Za-z0-9_]{20,}|gh[pousr]_[A-Za-z0-9]{20,})|(?i:` +
		`\bbearer\s+)[A-Za-z0-9._~+/=-]{16,}` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----|-{0,5}$)`)
	// The last word of the text, or what is before it, is held back if it may become a secret.
	holdWord = lazy.Regexp(`(?i)(?:^|[^a-z0-9])(?:` +
		`sk-|gh[pousr]_|github_pat_|akia|xox[a-z]-|glpat-|eyj)|-----begin|(?:` +
		`key|token|secret|passw[a-z]*|pwd|auth[a-z]*)["']?[=:]`)
	holdBefore = lazy.Regexp(`(?i)(?:bearer|token|key|secret|password)["']?[\s:=]*$`)
)

// find returns the secrets in a text, in order and not overlapping.
func (c *cleaner) find(text string) (spans []span) {
	for _, m := range c.redactor.Find(text) {
		spans = append(spans, span{m.Start, m.End})
	}
	if c.redactor.Known() && hinted(text) {
		for _, m := range original().FindAllStringIndex(text, -1) {
			spans = append(spans, span{m[0], m[1]})
		}
	}
	if len(spans) < 2 {
		return spans
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	out := spans[:1]
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.start < last.end {
			last.end = max(last.end, s.end)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// hinted reports whether original may match in the text. It is much faster than matching.
func hinted(text string) bool {
	return endsWord(text, '-', "sk") || endsWord(text, '_', "ghp", "gho", "ghu", "ghs", "ghr", "github_pat") ||
		strings.Contains(text, "earer") || strings.Contains(text, "EARER") || strings.Contains(text, "PRIVATE KEY")
}

// endsWord reports whether one of the words occurs in the text, followed by last.
func endsWord(text string, last byte, words ...string) bool {
	for at := 0; ; at++ {
		i := strings.IndexByte(text[at:], last)
		if i < 0 {
			return false
		}
		at += i
		for _, w := range words {
			if strings.HasSuffix(text[:at], w) {
				return true
			}
		}
	}
}

// maxWord is the maximum length of a word that is held back, and of what is looked at before it, in
// bytes.
const (
	maxWord   = 512
	wordLead  = 32
	beginning = "-----BEGIN"
)

// inSecret contains the bytes that may occur in a secret of one word, or in the name before it.
var inSecret = func() (in [256]bool) {
	for c := range in {
		in[c] = c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' ||
			strings.IndexByte(`_-./+=~:"'`, byte(c)) >= 0
	}
	return in
}()

// holdFrom returns the offset at which the part of the text begins that may be the beginning of a
// secret.
func holdFrom(text string) int {
	i := len(text)
	for i > max(0, len(text)-maxWord) && inSecret[text[i-1]] {
		i--
	}
	if strings.Contains(text, beginning) { // much faster than LastIndex
		k := strings.LastIndex(text, beginning)
		if !strings.Contains(text[k:], keyEnd) && len(text)-k < cleanHold {
			return min(i, k)
		}
	}
	if i < len(text) && (isHeld(text[i:]) || announces(text[max(0, i-wordLead):i])) {
		return i
	}
	return len(text)
}

// isHeld reports whether holdWord matches a word. A quick check excludes most words.
func isHeld(word string) bool {
	if !strings.ContainsAny(word, "-_=:") {
		lower := strings.ToLower(word)
		if !strings.Contains(lower, "akia") && !strings.Contains(lower, "eyj") {
			return false
		}
	}
	return holdWord().MatchString(word)
}

// announces reports whether holdBefore matches the text before a word. A quick check of the last
// letter excludes most texts.
func announces(before string) bool {
	end := strings.TrimRight(before, " \t\n\f\r:=")
	return end != "" && strings.IndexByte(`rnytdRNYTD"'`, end[len(end)-1]) >= 0 && holdBefore().MatchString(before)
}
