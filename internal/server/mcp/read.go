package mcp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Levels of detail of tool calls in read_session.
const (
	toolsNone  = "none"
	toolsBrief = "brief"
	toolsFull  = "full"
)

func (s *Server) readTool() tool {
	return tool{
		name: "read_session", title: "Read a session",
		about: "Read the conversation of a session. A ref from search begins at its entry.",
		params: []param{
			sessionParam,
			{name: "from", kind: kindWhole, about: "First entry; -10: the last ten", least: -1000, most: math.Inf(1)},
			{name: "roles", kind: kindTexts, oneOf: roles, about: "Only messages of these"},
			{name: "tools", kind: kindText, oneOf: []string{toolsNone, toolsBrief, toolsFull},
				about: "Tool calls: left out, a line each, or all", standard: toolsBrief},
			{name: "max_chars", kind: kindWhole, about: "Page size", least: 1000, most: 60000, standard: 20000},
			cursorParam,
		},
		result: "about session title entries[seq:i role agent? at text] next_cursor?",
		meta:   sdk.Meta{"anthropic/maxResultSizeChars": 150000},
		reads:  true,
		run:    s.read,
	}
}

// entryItem is an entry, or a part of one that is too long for a page.
type entryItem struct {
	Seq   int    `json:"seq"`
	Role  string `json:"role"`
	Agent string `json:"agent,omitempty"`
	At    string `json:"at"`
	Text  string `json:"text"`
}

func (e entryItem) head() string {
	return fmt.Sprintf("#%d %s %s", e.Seq, speaker(e.Role, e.Agent), e.At)
}

type entryList struct {
	About      string      `json:"about"`
	Session    string      `json:"session"`
	Title      string      `json:"title"`
	Entries    []entryItem `json:"entries"`
	NextCursor string      `json:"next_cursor,omitempty"`
}

func (l entryList) text(note string) string {
	if len(l.Entries) == 0 {
		return fmt.Sprintf("Session %s has no entries here.%s", l.Session, note)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", l.Title)
	for _, e := range l.Entries {
		fmt.Fprintf(&b, "%s\n%s\n\n", e.head(), e.Text)
	}
	first, last := l.Entries[0].Seq, l.Entries[len(l.Entries)-1].Seq
	return fmt.Sprintf("Session %s, entries %d to %d.%s\n%s%s", l.Session, first, last, note, recorded(b.String()),
		more(l.NextCursor))
}

func (s *Server) read(ctx context.Context, c *toolCall) (answer, error) {
	place, err := placeOf("read_session", c.arguments)
	if err != nil {
		return answer{}, err
	}
	db, info, ref, err := s.find(ctx, c.text("session"))
	if err != nil {
		return answer{}, err
	}
	r := &reader{s: s, db: db, info: info, roles: c.texts("roles"), tools: c.text("tools"), from: ref.First, to: ref.To}
	if c.has("from") {
		r.from = c.whole("from")
	}
	switch {
	case place != "":
		if r.from, r.offset, err = parsePlace(place); err != nil {
			return answer{}, err
		}
	case r.from < 0:
		if r.from, err = r.lastOf(ctx, -r.from); err != nil {
			return answer{}, err
		}
	}
	list := entryList{About: about, Session: info.ID, Title: s.title(ctx, db, info), Entries: []entryItem{}}
	next, err := r.fill(ctx, &list, c.whole("max_chars")-pageHead)
	if err != nil {
		return answer{}, err
	}
	if next != "" {
		list.NextCursor = cursorOf("read_session", c.arguments, next)
	}
	return answer{structured: list, text: list.text(r.note())}, nil
}

// pageHead is the size of a page without its entries, in characters.
const pageHead = 400

// parsePlace parses the place in a cursor: the number of an entry, and the number of its characters
// on earlier pages.
func parsePlace(place string) (seq, offset int, err error) {
	before, after, _ := strings.Cut(place, ".")
	seq, err = strconv.Atoi(before)
	if err == nil {
		offset, err = strconv.Atoi(after)
	}
	if err != nil || seq < 0 || offset < 0 {
		return 0, 0, errCursor
	}
	return seq, offset, nil
}

// reader reads entries of a session page by page.
type reader struct {
	s        *Server
	db       *Archive
	info     *store.Info
	roles    []string // only these; nil: all
	tools    string
	from, to int // numbers of the first and last entry; 0: of the session
	offset   int // number of characters of the first entry to skip
	reading  *store.Reading
}

// pageEntries is the number of entries to read at a time.
const pageEntries = 100

// each calls fn for the shown entries from r.from on, until fn returns false.
func (r *reader) each(ctx context.Context, fn func(e *session.Entry, text string) bool) error {
	for since := max(0, r.from-1); ; {
		page, reading, err := r.db.Past.Page(ctx, r.info, store.Span{Since: since, Limit: pageEntries})
		if err != nil {
			return err
		}
		r.reading = reading
		for _, e := range page.Entries {
			if since = e.Seq; r.to > 0 && e.Seq > r.to {
				return nil
			}
			if !r.shows(e) {
				continue
			}
			e = r.s.entry(e, r.info.Command)
			if !fn(e, r.textOf(e)) {
				return nil
			}
		}
		if len(page.Entries) < pageEntries {
			return nil
		}
	}
}

// lastOf returns the number of the first of the last n shown entries.
func (r *reader) lastOf(ctx context.Context, n int) (seq int, err error) {
	for before := math.MaxInt32; before > 1; {
		page, _, err := r.db.Past.Page(ctx, r.info, store.Span{Before: before, Limit: pageEntries})
		if err != nil || len(page.Entries) == 0 {
			return seq, err
		}
		for _, e := range slices.Backward(page.Entries) {
			if r.shows(e) {
				seq = e.Seq
				if n--; n == 0 {
					return seq, nil
				}
			}
		}
		before = page.Entries[0].Seq
	}
	return seq, nil
}

func (r *reader) shows(e *session.Entry) bool {
	return e.Type == session.TypeMessage && (len(r.roles) == 0 || slices.Contains(r.roles, e.Role)) &&
		(e.Role != session.RoleTool || r.tools != toolsNone)
}

// fill adds entries to a page of at most room characters. next is the place at which the next page
// begins, or "" if there is none.
func (r *reader) fill(ctx context.Context, list *entryList, room int) (next string, err error) {
	whole := room
	err = r.each(ctx, func(e *session.Entry, text string) bool {
		offset := 0
		if e.Seq == r.from {
			offset = r.offset
		}
		item := entryItem{Seq: e.Seq, Role: e.Role, Agent: r.s.line(e.Agent), At: clock(e.At), Text: skip(text, offset)}
		head, size := len(item.head())+3, utf8.RuneCountInString(item.Text) // and three line ends
		switch {
		case head+size <= room:
			room -= head + size
			list.Entries = append(list.Entries, item)
			return true
		case head+size > whole && room-head > whole/4, len(list.Entries) == 0:
			item.Text = firstPart(item.Text, max(room-head, 1))
			list.Entries = append(list.Entries, item)
			offset += utf8.RuneCountInString(item.Text)
		}
		next = fmt.Sprintf("%d.%d", e.Seq, offset)
		return false
	})
	return next, err
}

// skip returns a text without its first n characters.
func skip(text string, n int) string {
	for ; n > 0 && text != ""; n-- {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text
}

// firstPart returns at most n characters from the start of a text. It ends at a line end if there
// is one in the last quarter.
func firstPart(text string, n int) string {
	part := text[:len(text)-len(skip(text, n))]
	if at := strings.LastIndexByte(part, '\n'); at > len(part)*3/4 {
		part = part[:at+1]
	}
	return part
}

// note returns a notice if the session is not completely extracted.
func (r *reader) note() string {
	if r.reading != nil {
		return " The recording is still being read: ask again later for the rest."
	}
	return ""
}

// textOf returns an entry's text for read_session.
func (r *reader) textOf(e *session.Entry) string {
	switch {
	case e.Tool != nil && r.tools == toolsBrief:
		return brief(e)
	case e.Tool != nil:
		text := e.Tool.Name + ": " + e.Tool.Input + status(e.Tool.Status)
		return join(text, e.Tool.Output, e.Tool.Truncated)
	case e.Role == session.RoleShell:
		return join("$ "+e.Text, e.Output, e.Truncated)
	}
	return join(e.Text, e.Output, e.Truncated)
}

// briefInput is the maximum length of a tool's input on one line, in characters.
const briefInput = 160

// brief returns a tool call on one line.
func brief(e *session.Entry) string {
	input := clip(strings.Join(strings.Fields(e.Tool.Input), " "), briefInput)
	text := e.Tool.Name + ": " + input + status(e.Tool.Status)
	if n := strings.Count(strings.TrimSpace(e.Tool.Output), "\n") + 1; strings.TrimSpace(e.Tool.Output) != "" {
		text += " → " + counted(n, "line")
	}
	return text
}

func status(status string) string {
	if status == "" || status == session.ToolOK {
		return ""
	}
	return " (" + status + ")"
}

func join(text, output string, truncated bool) string {
	if output != "" {
		text += "\n" + output
	}
	if truncated {
		text += "\n(the screen showed no more of it)"
	}
	return text
}
