package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/client"
)

// The tests with a real server are in package sandboxapi.

// A jump in the offset is a Gap, and a server that sends nothing new is lost.
func TestJumpInTheOffsetIsAGap(t *testing.T) {
	var after []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/ping":
			_, _ = fmt.Fprint(w, "{}")
		case "/api/process/a b/stream":
			if after = append(after, r.Header.Get("Last-Event-ID")); len(after) > 1 {
				_, _ = fmt.Fprint(w, "id: 8.0\ndata: {\"type\":\"process_info\"}\n\n")
				return
			}
			_, _ = fmt.Fprint(w, "id: 0.0\ndata: {\"type\":\"process_info\"}\n\n"+
				"id: 2.0\ndata: {\"type\":\"stdout\",\"data\":\"ab\"}\n\n: ping\n\n"+
				"id: 7.0\ndata: {\"type\":\"error\",\"data\":\"bytes 2 to 7 are lost\"}\n\n"+
				"id: 8.0\ndata: {\"type\":\"stdout\",\"data\":\"c\"}\n\nid: 9.0\ndata: {\"type\":\"std")
		}
	}))
	t.Cleanup(s.Close)
	p, err := client.DialProcesses(t.Context(), s.URL+"/", "", client.Options{HTTP: s.Client()})
	if err != nil {
		t.Fatal(err)
	}
	client.HurryProcesses(p)
	var got []client.CommandEvent
	for e, err := range p.Output(t.Context(), "a b", "") {
		if err != nil {
			if !errors.Is(err, client.ErrLost) {
				t.Error(err)
			}
			break
		}
		got = append(got, e)
	}
	want := []client.CommandEvent{
		client.Chunk{Stream: client.Stdout, Offset: 0, Text: "ab"},
		client.Gap{Stream: client.Stdout, From: 2, To: 7, Info: "bytes 2 to 7 are lost"},
		client.Chunk{Stream: client.Stdout, Offset: 7, Text: "c"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"", "8.0", "8.0", "8.0", "8.0", "8.0"}, after); diff != "" {
		t.Error(diff)
	}
	for _, err := range p.Output(t.Context(), "a b", "x") {
		if err == nil {
			t.Error("x is a cursor")
		}
	}
}
