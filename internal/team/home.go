package team

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// homes are the names of the home folder: as configured, and with symbolic links resolved.
type homes []string

func homesOf(home string) (h homes) {
	for _, name := range []string{home, resolved(home)} {
		if name = strings.TrimRight(name, "/"); filepath.IsAbs(name) && !(len(h) == 1 && h[0] == name) {
			h = append(h, name)
		}
	}
	return h
}

func resolved(path string) string {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return path
}

// personal reports whether the name of a home folder tells whose it is. That of root does not.
func personal(home string) bool { return strings.Count(home, "/") > 1 }

// tilde replaces the home folder by ~ wherever a text mentions it or something in it.
func (h homes) tilde(text string) string {
	for _, home := range h {
		text = tilde(text, home)
	}
	return text
}

func tilde(text, home string) string {
	var b strings.Builder
	for at := 0; ; {
		i := strings.Index(text[at:], home)
		if i < 0 {
			return b.String() + text[at:]
		}
		i += at
		end := i + len(home)
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		inside := i > 0 && !personal(home) && (isName(before) || before == '.' || before == '/')
		b.WriteString(text[at:i])
		if goesOn(text[end:]) || inside {
			b.WriteString(home)
		} else {
			b.WriteString("~")
		}
		at = end
	}
}

// goesOn reports whether text continues the name of a folder.
func goesOn(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	if r == '.' { // at the end of a sentence it does not belong to the name
		r, _ = utf8.DecodeRuneInString(text[n:])
	}
	return text != "" && isName(r)
}

func isName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-')
}

// entry replaces the home folder by ~ in all texts of an entry, which must be a copy.
func (h homes) entry(e *session.Entry) {
	for _, text := range []*string{&e.Cwd, &e.Text, &e.Markdown, &e.Output} {
		*text = h.tilde(*text)
	}
	if e.Tool != nil {
		t := *e.Tool
		t.Input, t.Output = h.tilde(t.Input), h.tilde(t.Output)
		e.Tool = &t
	}
	if e.Data != nil {
		e.Data, _ = h.value(e.Data).(map[string]any)
	}
}

// value is tilde for a decoded JSON value.
func (h homes) value(v any) any {
	switch v := v.(type) {
	case string:
		return h.tilde(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = h.value(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = h.value(v[k])
		}
		return out
	}
	return v
}

// homePatches collects patches for a session's output. They replace each character of a home folder
// by "~", so that nothing on the screen moves.
type homePatches struct {
	output  *redact.Stream         // nil if there is nothing to replace
	patches map[int][]redact.Patch // by number of the output event
}

// inOutput returns homePatches without any patches. Home folders that are not personal are not
// replaced.
func (h homes) inOutput() (*homePatches, error) {
	o := redact.Options{Unknown: true}
	for _, home := range h {
		if personal(home) {
			o.Patterns = append(o.Patterns, redact.Pattern{Name: "home",
				Regexp: `(` + regexp.QuoteMeta(home) + `)(?:[^\pL\pN_.-]|\.(?:[^\pL\pN_-]|$)|$)`})
		}
	}
	p := &homePatches{patches: map[int][]redact.Patch{}}
	if len(o.Patterns) == 0 {
		return p, nil
	}
	find, err := redact.New(o)
	if err != nil {
		return nil, err
	}
	p.output = find.Terminal().Stream()
	return p, nil
}

// event searches the next event of the raw log.
func (p *homePatches) event(e session.Event) {
	if e = session.OnTerminal(e); e.Kind == session.Output && len(e.Data) > 0 {
		p.take(e.Data)
	}
}

// take searches the next chunk of the output, or the end of the output if it is nil.
func (p *homePatches) take(chunk []byte) {
	if p.output == nil {
		return
	}
	for _, patch := range p.output.Find(chunk) {
		patch.Data = bytes.ReplaceAll(patch.Data, []byte("*"), []byte("~"))
		p.patches[patch.Chunk] = append(p.patches[patch.Chunk], patch)
	}
}

// rawLog returns the raw log to send, in a file in folder. Events of input and notes of others have
// no data. The raw log is read at most three times: see archive.NewSent.
func rawLog(ctx context.Context, l *library.Library, info *store.Info, h homes, folder string) (p *pieces, err error) {
	home, err := h.inOutput()
	if err != nil {
		return nil, err
	}
	source, err := archive.NewSent(ctx, l.Store, info, l.Redact, home.event)
	if err != nil {
		return nil, err
	}
	defer source.Stop()
	home.take(nil)
	if p, err = newPieces(folder); err != nil {
		return nil, err
	}
	if err := p.fill(source, home.patches, info); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// fill adds the events of source, with patches applied to its output.
func (p *pieces) fill(source *archive.Masked, patches map[int][]redact.Patch, info *store.Info) error {
	rec := store.NewRecording(info.Cols, info.Rows)
	for output := 0; ; {
		e, err := source.Next()
		if errors.Is(err, io.EOF) {
			return p.add(rec.Segments()...)
		}
		if err != nil {
			return err
		}
		switch {
		case e.Kind == session.Input || e.Kind == session.Marker:
			e.Data = nil
		case e.Kind == session.Output && len(e.Data) > 0:
			if len(patches[output]) > 0 {
				e.Data = append([]byte{}, e.Data...)
			}
			for _, p := range patches[output] {
				copy(e.Data[p.Offset:], p.Data)
			}
			output++
		}
		rec.Write(e)
		if err := p.add(rec.Take()...); err != nil {
			return err
		}
	}
}
