package mcp

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/vterm"
	"github.com/ptyrec/ptyrec/vterm/screen"
)

func (s *Server) screenTool() tool {
	return tool{
		name: "read_screen", title: "Read a screen",
		about: "Read the text on a session's terminal: now, or at a moment of the recording.",
		params: []param{
			sessionParam,
			{name: "at", kind: kindNumber, about: "Seconds since the start; else now, or the end", least: 0, most: math.Inf(1)},
		},
		result: "about text cols:i rows:i cursor:o[x:i y:i] state?",
		reads:  true,
		run:    s.readScreen,
	}
}

// shot is the result of read_screen.
type shot struct {
	About  string `json:"about"`
	Text   string `json:"text"`
	Cols   int    `json:"cols"` // cells
	Rows   int    `json:"rows"`
	Cursor cursor `json:"cursor"`
	State  string `json:"state,omitempty"` // of the agent in a live session
}

// cursor is the position of the cursor, in cells from 0.
type cursor struct {
	X int `json:"x"`
	Y int `json:"y"`
}

func (s *Server) readScreen(ctx context.Context, c *toolCall) (answer, error) {
	db, info, _, err := s.find(ctx, c.text("session"))
	if err != nil {
		return answer{}, err
	}
	at := math.Inf(1)
	if c.has("at") {
		at = c.number("at")
	}
	shown, err := s.shot(ctx, db, info, at)
	if err != nil {
		return answer{}, err
	}
	head := fmt.Sprintf("Session %s, %dx%d", info.ID, shown.Cols, shown.Rows)
	if shown.State != "" {
		head += ", " + shown.State
	}
	return answer{structured: shown, text: head + ".\n" + recorded(shown.Text)}, nil
}

// shot returns the screen at a time since the start in seconds, or the newest one if at is
// infinite.
func (s *Server) shot(ctx context.Context, db *Archive, info *store.Info, at float64) (shot, error) {
	if info.Status == store.Live && math.IsInf(at, 1) {
		live, state, err := liveScreen(ctx, db, info.ID)
		if err == nil {
			shown := s.shotOf(live)
			shown.State = state
			return shown, nil
		}
		s.log.DebugContext(ctx, "a live session shows no screen; its raw log does", "session", info.ID, "error", err)
	}
	past, _, err := db.Past.Screen(ctx, info, at)
	if err != nil {
		return shot{}, err
	}
	return s.shotOf(past), nil
}

func (s *Server) shotOf(of screen.Screen) shot {
	rows := make([]string, len(of.Lines))
	for i, row := range of.Lines {
		rows[i] = row.Text
	}
	return shot{About: about, Text: s.screenText(rows), Cols: of.Cols, Rows: of.Snapshot.Rows,
		Cursor: cursor{of.CursorX, of.CursorY}}
}

// answerTime is how long a live session has to send its screen.
const answerTime = 5 * time.Second

// liveScreen returns the screen of a live session, and its agent's state.
func liveScreen(ctx context.Context, db *Archive, id string) (screen.Screen, string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	stream, hello, err := attach(ctx, db, id,
		client.AttachOptions{Name: clientName, Kind: protocol.Agent, Mode: protocol.ModeScreen})
	if err != nil {
		return screen.Screen{}, "", err
	}
	defer func() { _ = stream.Close() }() // never fails
	state := hello.State.State
	for {
		e, err := stream.Next(ctx)
		if err != nil {
			return screen.Screen{}, "", err
		}
		switch e := e.(type) {
		case protocol.State:
			state = e.State
		case protocol.Snapshot:
			t := vterm.New(vterm.Options{Cols: e.Cols, Rows: e.Rows})
			_, _ = t.Write(e.Data) // never fails
			return screen.Of(t), state, nil
		}
	}
}
