package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/store"
)

// The names of the fields are fixed: programs read them from list --json and from the API.
func TestDetailsAsJSON(t *testing.T) {
	info := store.Info{
		Prompt: "p", Name: "n", Messages: 1, Turns: 2, RawBytes: 3, StoredBytes: 4, Duration: 1500 * time.Millisecond, Tags: []string{"t"}, Note: "o",
	}
	got, err := json.Marshal(info.Details())
	want := `{"prompt":"p","name":"n","messages":1,"turns":2,"raw_bytes":3,"stored_bytes":4,"duration":1.5,"tags":["t"],"note":"o"}`
	if string(got) != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if got, err := json.Marshal(new(store.Info).Details()); string(got) != `{"messages":0,"turns":0,"raw_bytes":0,"stored_bytes":0,"duration":0}` || err != nil {
		t.Errorf("of nothing: %s, %v", got, err)
	}
}
