package archive

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Redaction removes secrets from what is stored and written. Its zero value removes nothing.
type Redaction struct {
	*redact.Redactor
	line, masked string // the session's command line, before and after masking
}

// Of returns the redaction for a session with this command, and the command to record.
func (r Redaction) Of(command []string) (Redaction, []string) {
	masked := r.Command(command)
	r.line, r.masked = strings.Join(command, " "), strings.Join(masked, " ")
	return r, masked
}

// Transcript removes the secrets from t. It copies entries that contain one.
func (r Redaction) Transcript(t *session.Transcript, found map[string]int) {
	if r.Redactor == nil {
		return
	}
	r, t.Session.Command = r.Of(t.Session.Command)
	t.Session.Cwd = r.Text(t.Session.Cwd, found)
	t.Session.Title = r.Title(t.Session.Title, t.Entries)
	r.described(&t.Session, found)
	t.Entries = r.Entries(t.Entries, found)
}

// described removes the secrets from the description of a session that comes from programs and
// repositories. It replaces pointers in s instead of changing what they point to.
func (r Redaction) described(s *session.Session, found map[string]int) {
	s.Sandbox, s.Process = r.Text(s.Sandbox, found), r.Text(s.Process, found)
	if s.Asked != nil {
		asked := *s.Asked
		asked.By, asked.Shell = r.Text(asked.By, found), r.Text(asked.Shell, found)
		s.Asked = &asked
	}
	if s.Git != nil {
		git := *s.Git
		git.Start, git.End = r.gitState(git.Start, found), r.gitState(git.End, found)
		s.Git = &git
	}
	if s.Source != nil {
		source := *s.Source
		source.Path = r.Text(source.Path, found)
		s.Source = &source
	}
}

// gitState returns a copy of s without secrets.
func (r Redaction) gitState(s *session.GitState, found map[string]int) *session.GitState {
	if s == nil {
		return nil
	}
	c := *s
	c.Branch = r.Text(c.Branch, found)
	return &c
}

// Tags returns a session's tags without secrets, sorted. It shortens tags that become longer than
// store.MaxTag.
func (r Redaction) Tags(tags []string) []string {
	out := make([]string, len(tags))
	for i, tag := range tags {
		if out[i] = r.Text(tag, nil); out[i] != tag {
			out[i] = printable.Clip(out[i], store.MaxTag)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Entries returns entries without their secrets. It does not change the originals.
func (r Redaction) Entries(entries []*session.Entry, found map[string]int) []*session.Entry {
	out := make([]*session.Entry, len(entries))
	for i, e := range entries {
		out[i] = r.Entry(e, found)
	}
	return out
}

// Entry returns a copy of e without secrets, or e itself if it has none.
func (r Redaction) Entry(e *session.Entry, found map[string]int) *session.Entry {
	if r.Redactor == nil {
		return e
	}
	c := *e
	c.Text = r.text(e.Text, found)
	switch e.Markdown {
	case "": // such as a shell command
	case e.Text:
		c.Markdown = c.Text
	default:
		c.Markdown = r.markdown(e, c.Text)
	}
	c.Output, c.Cwd = r.Text(e.Output, found), r.Text(e.Cwd, found)
	same := c.Text == e.Text && c.Markdown == e.Markdown && c.Output == e.Output && c.Cwd == e.Cwd
	if e.Tool != nil {
		t := *e.Tool
		t.Input, t.Output = r.Text(t.Input, found), r.Text(t.Output, found)
		c.Tool = &t
		same = same && t == *e.Tool
	}
	if e.Data != nil {
		c.Data, _ = r.value(e.Data).(map[string]any)
		same = false
	}
	if same {
		return e
	}
	out := c // only this copy needs the heap
	return &out
}

// text redacts an entry's text, which may be the command line.
func (r Redaction) text(text string, found map[string]int) string {
	if text == r.line {
		return r.masked
	}
	return r.Text(text, found)
}

// markdown redacts the Markdown of an entry. redacted is the entry's redacted text. In the
// Markdown, a secret may be split by markup and backslashes.
func (r Redaction) markdown(e *session.Entry, redacted string) string {
	text := e.Markdown
	if redacted != e.Text || e.Text == r.line {
		text = hideAgain(text, e.Text, r.Find(e.Text))
	}
	return r.Text(text, nil)
}

// value redacts the strings in a decoded JSON value.
func (r Redaction) value(v any) any {
	switch v := v.(type) {
	case string:
		return r.Text(v, nil)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = r.value(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = r.value(v[k])
		}
		return out
	}
	return v
}

const ellipsis = "…"

// Title redacts a title, which may be the start of an entry's text, cut within a secret.
func (r Redaction) Title(title string, entries []*session.Entry) string {
	start, cut := strings.CutSuffix(title, ellipsis)
	if cut {
		for _, e := range entries {
			first, _, _ := strings.Cut(e.Text, "\n")
			if strings.HasPrefix(first, start) {
				return printable.Clip(r.text(first, nil), utf8.RuneCountInString(title))
			}
		}
	}
	return r.text(title, nil)
}
