package explain_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/explain"
	"github.com/ptyrec/ptyrec/session"
)

// list is an event source.
type list []session.Event

func (l *list) Next() (session.Event, error) {
	if len(*l) == 0 {
		return session.Event{}, io.EOF
	}
	e := (*l)[0]
	*l = (*l)[1:]
	return e, nil
}

func TestWrite(t *testing.T) {
	events := &list{
		{Kind: session.Output, Data: []byte("\x1b]133;A\adev@box:~$ \x1b]133;B\aecho 1\r\n\x1b]133;C\a1\r\n\x1b]133;D;0\a")},
		{At: time.Second, Kind: session.Exit},
	}
	var b strings.Builder
	if err := explain.Write(&b, session.Session{ID: "s", Cols: 80, Rows: 24}, events); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"== ", "s shell, tape 1\n", " shell ", "|dev@box:~$ echo 1\n", "|1\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}
