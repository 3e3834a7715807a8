package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

func (s *Server) listTool() tool {
	return tool{
		name: "list_sessions", title: "List recorded sessions",
		about:  "List recorded terminal sessions, newest first. Each says what it was about, where, and whether it runs.",
		params: slices.Concat(filterParams, []param{limitParam(100, 20), cursorParam}),
		result: "about sessions[id title agents:a command cwd started_at ended_at? status state? turns:i granted?:b] " +
			"next_cursor?",
		reads: true,
		run:   s.list,
	}
}

// sessionItem is a session as list_sessions shows it.
type sessionItem struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Agents    []string `json:"agents"`
	Command   string   `json:"command"`
	Cwd       string   `json:"cwd"`
	StartedAt string   `json:"started_at"`
	EndedAt   string   `json:"ended_at,omitempty"`
	Status    string   `json:"status"`
	State     string   `json:"state,omitempty"`
	Turns     int      `json:"turns"`
	Granted   *bool    `json:"granted,omitempty"` // live sessions: whether programs may type
}

type sessionList struct {
	About      string        `json:"about"`
	Sessions   []sessionItem `json:"sessions"`
	NextCursor string        `json:"next_cursor,omitempty"`
}

func (s *Server) list(ctx context.Context, c *toolCall) (answer, error) {
	f, err := s.filter(c.arguments)
	if err != nil {
		return answer{}, err
	}
	place, err := placeOf("list_sessions", c.arguments)
	if err != nil {
		return answer{}, err
	}
	if place != "" && f.After.UnmarshalText([]byte(place)) != nil {
		return answer{}, errCursor
	}
	db, err := s.open(ctx)
	if err != nil {
		return answer{}, err
	}
	list := sessionList{About: about, Sessions: []sessionItem{}}
	if db == nil {
		return answer{structured: list, text: string(errNoSessions)}, nil
	}
	limit := c.whole("limit")
	f.Limit = limit + 1 // one more, to see whether there are more
	infos, err := db.Store.Sessions(ctx, f)
	if err != nil {
		return answer{}, err
	}
	if len(infos) > limit {
		infos = infos[:limit]
		next, _ := infos[limit-1].Position().MarshalText() // never fails
		list.NextCursor = cursorOf("list_sessions", c.arguments, string(next))
	}
	list.Sessions = s.items(ctx, db, infos)
	return answer{structured: list, text: list.text()}, nil
}

func (l sessionList) text() string {
	if len(l.Sessions) == 0 {
		return "No session matches."
	}
	var b strings.Builder
	for _, i := range l.Sessions {
		b.WriteString(i.text())
	}
	return fmt.Sprintf("%s, newest first.\n%s%s", counted(len(l.Sessions), "session"), recorded(b.String()),
		more(l.NextCursor))
}

func (i sessionItem) text() string {
	facts := []string{i.ID, strings.TrimSpace(i.Status + " " + i.State), i.StartedAt}
	if i.EndedAt != "" {
		facts = append(facts, "to "+i.EndedAt)
	}
	if len(i.Agents) > 0 {
		facts = append(facts, strings.Join(i.Agents, ", "))
	}
	facts = append(facts, counted(i.Turns, "turn"), i.Cwd, "$ "+i.Command)
	if i.Granted != nil && *i.Granted {
		facts = append(facts, "granted")
	}
	return strings.Join(facts, " | ") + "\n  " + i.Title + "\n"
}

// items returns sessions for list_sessions. It asks live ones for their state.
func (s *Server) items(ctx context.Context, db *Archive, infos []*store.Info) []sessionItem {
	items := make([]sessionItem, len(infos))
	var asking sync.WaitGroup
	defer asking.Wait()
	places := make(chan struct{}, maxAsked)
	for i, info := range infos {
		items[i] = s.item(ctx, db, info)
		if info.Status != store.Live {
			continue
		}
		asking.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if hello, err := s.hello(ctx, db, info.ID); err == nil { // a session that does not respond has no state
				granted := hello.Control.Grant != nil || s.owns(info.ID)
				items[i].State, items[i].Granted = hello.State.State, &granted
			}
		})
	}
	return items
}

// maxAsked is the maximum number of live sessions that are asked at the same time.
const maxAsked = 8

func (s *Server) item(ctx context.Context, db *Archive, info *store.Info) sessionItem {
	item := sessionItem{
		ID: info.ID, Title: s.title(ctx, db, info), Agents: []string{}, Command: clip(s.command(info.Command), maxShown),
		Cwd:       s.line(info.Cwd),
		StartedAt: clock(info.StartedAt), Status: info.Status, Turns: info.Turns,
	}
	for _, a := range info.Agents {
		if name := s.line(a.Name); !slices.Contains(item.Agents, name) {
			item.Agents = append(item.Agents, name)
		}
	}
	if info.EndedAt != nil {
		item.EndedAt = clock(*info.EndedAt)
	}
	return item
}

const (
	maxShown  = 200 // maximum length of a command line, in characters
	maxTitle  = 100 // maximum length of a title, in characters
	cutPrompt = 200 // length of Info.Prompt, in characters
	// promptEntries is how many entries are searched for the first prompt.
	promptEntries = 50
)

// title returns the title of a session: its name, its first prompt, the program's title, or its
// command.
func (s *Server) title(ctx context.Context, db *Archive, info *store.Info) string {
	prompt := info.Prompt
	if info.Name == "" && utf8.RuneCountInString(prompt) >= cutPrompt {
		// The prompt may be cut within a secret, which is then not recognised.
		prompt = firstPrompt(ctx, db, info, prompt)
	}
	for _, text := range []string{info.Name, prompt, info.Title} {
		if text = s.line(text); text != "" {
			return clip(text, maxTitle)
		}
	}
	return clip(s.command(info.Command), maxTitle)
}

// firstPrompt returns the first prompt of a session, or otherwise if it is not found.
func firstPrompt(ctx context.Context, db *Archive, info *store.Info, otherwise string) string {
	page, err := db.Store.Page(ctx, info.ID, store.Span{Limit: promptEntries})
	if err != nil {
		return otherwise
	}
	for _, e := range page.Entries {
		if e.Role == session.RoleUser {
			return e.Text
		}
	}
	return otherwise
}

// askTime is how long a live session has to respond.
const askTime = time.Second

// hello asks a live session for its state and its grants.
func (s *Server) hello(ctx context.Context, db *Archive, id string) (protocol.Hello, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	stream, hello, err := attach(ctx, db, id,
		client.AttachOptions{Name: clientName, Kind: protocol.Agent, Mode: protocol.ModeNone})
	if err == nil {
		_ = stream.Close() // never fails
	}
	return hello, err
}

// clientName is the server's name as a viewer of sessions.
const clientName = "mcp"

// attach connects to a live session.
func attach(ctx context.Context, db *Archive, id string, o client.AttachOptions) (*client.Stream, protocol.Hello,
	error) {
	stream, err := db.Live.Attach(ctx, id, o)
	if err != nil {
		return nil, protocol.Hello{}, err
	}
	for {
		e, err := stream.Next(ctx)
		if err != nil {
			_ = stream.Close() // never fails
			return nil, protocol.Hello{}, err
		}
		if c, ok := e.(client.Connected); ok {
			return stream, c.Hello, nil
		}
	}
}

// filter returns the filter for the arguments that select sessions.
func (s *Server) filter(a arguments) (store.Filter, error) {
	f := store.Filter{Agent: a.text("agent"), Command: a.text("command"), Tag: a.text("tag"), Live: a.flag("live")}
	for _, t := range []struct {
		name string
		set  func(start, end time.Time)
	}{
		{"since", func(start, _ time.Time) { f.Since = start }},
		{"until", func(_, end time.Time) { f.Until = end }},
	} {
		if text := a.text(t.name); text != "" {
			start, end, err := s.When(text)
			if err != nil {
				return f, toolErrorf("%s is not understood. Write 2026-11-20, 2026-11-20T14:00:00Z, today, yesterday, tuesday, "+
					"12h or 3d.", t.name)
			}
			if end.Equal(start) {
				end = end.Add(time.Nanosecond) // the end is inclusive
			}
			t.set(start, end)
		}
	}
	cwd := a.text("cwd")
	if rest, ok := strings.CutPrefix(cwd, "~"); ok && (rest == "" || rest[0] == '/') {
		if home, err := os.UserHomeDir(); err == nil {
			cwd = home + rest
		}
	}
	if cwd != "" && !filepath.IsAbs(cwd) {
		return f, toolErrorf("cwd must be an absolute path, or begin with ~/.")
	}
	if cwd != "" {
		f.Cwd = filepath.Clean(cwd)
	}
	return f, nil
}
