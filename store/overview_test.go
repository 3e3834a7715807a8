package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// The names of the fields are fixed: programs read them from list --json and from the API.
func TestOverviewAsJSON(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	info := store.Info{
		Session: session.Session{ID: "i", StartedAt: begin, Cols: 80, Rows: 24}, Status: "ended",
		Prompt: "p", Name: "n", Messages: 1, Turns: 2, RawBytes: 3, StoredBytes: 4, Duration: 1500 * time.Millisecond,
		Tags: []string{"t"}, Note: "o", Owner: "w", Space: "c", ForkedFrom: "f",
	}
	item, yes := info.Overview(), true
	item.Joinable, item.Attachable, item.State = true, &yes, map[string]any{"state": "idle"}
	got, err := json.Marshal(item)
	description, _ := json.Marshal(item.Session)
	want := string(description[:len(description)-1]) +
		`,"status":"ended","joinable":true,"attachable":true,"state":{"state":"idle"},` +
		`"prompt":"p","name":"n","messages":1,"turns":2,"raw_bytes":3,"stored_bytes":4,"duration":1.5,"tags":["t"],"note":` +
		`"o","owner":"w","space":"c","forked_from":"f"}`
	if string(got) != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	empty := new(store.Info).Overview()
	description, _ = json.Marshal(empty.Session)
	want = string(description[:len(description)-1]) +
		`,"status":"","messages":0,"turns":0,"raw_bytes":0,"stored_bytes":0,"duration":0}`
	if got, err := json.Marshal(empty); string(got) != want || err != nil {
		t.Errorf("of nothing: %s, %v, want %s", got, err, want)
	}
}
