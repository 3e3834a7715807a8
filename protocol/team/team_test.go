package team_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/protocol/team"
	"github.com/ptyrec/ptyrec/session"
)

// The bodies were recorded from machines and servers of the first version of the protocol: each is
// read into its type and written as it was.
func TestBodiesStayTheSame(t *testing.T) {
	at, code := time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC), 0
	sent := session.Session{
		ID: "019aa000-0000-7000-8000-000000000001", Command: []string{"claude"}, Cwd: "~/work", StartedAt: at,
		Cols: 80, Rows: 24, Agents: []session.Agent{{Name: "claude"}},
	}
	const sentBody = `"session":{"id":"019aa000-0000-7000-8000-000000000001","command":["claude"],"cwd":"~/work",` +
		`"started_at":"2026-11-20T09:30:00Z","cols":80,"rows":24,"agents":[{"name":"claude"}]},`
	used := session.Usage{Source: session.UsageScreen, Agent: "claude", At: at, Total: 7}
	const usedBody = `"source":"screen","agent":"claude","at":"2026-11-20T09:30:00Z","input":0,"cache_read":0,` +
		`"cache_write":0,"output":0,"reasoning":0,"total":7}`
	for _, c := range []struct {
		message any
		body    string
	}{
		{
			team.Begin{
				Session: sent, Name: "n", Tags: []string{"a"}, Machine: "M", Version: 3, Usage: []session.Usage{used},
				Content: &team.Content{Events: 5, Entries: 2, Digest: "d1", Segments: "d2"},
			},
			`{"content":{"digest":"d1","entries":2,"events":5,"segments":"d2"},"machine":"M","name":"n","note":"",` +
				sentBody + `"space":"","tags":["a"],"usage":[{` + usedBody + `],"version":3}`,
		},
		{
			team.Begin{Session: sent, Space: "shop", Machine: "M", Version: 3, Usage: []session.Usage{}, Live: true},
			`{"live":true,"machine":"M","name":"","note":"",` + sentBody + `"space":"shop","tags":null,"usage":[],"version":3}`,
		},
		{
			team.End{EndedAt: &at, ExitCode: &code, Events: 5, Entries: 2, Digest: "d1"},
			`{"digest":"d1","ended_at":"2026-11-20T09:30:00Z","entries":2,"events":5,"exit_code":0}`,
		},
		{team.End{Digest: "d1"}, `{"digest":"d1","ended_at":null,"entries":0,"events":0,"exit_code":null}`},
		{
			team.State{ID: "x", Events: 5, SHA256: "ab", Version: 9, Equal: true},
			`{"deleted":false,"entries_version":9,"equal":true,"events":5,"id":"x","sha256":"ab"}`,
		},
		{
			team.Batch{Version: 4, After: 3, Entries: []json.RawMessage{[]byte(`{"id":"e1"}`)}, Gone: []string{"e2"}},
			`{"version":4,"after":3,"entries":[{"id":"e1"}],"gone":["e2"],"all":false}`,
		},
		{
			team.Batch{Version: 4, Entries: []json.RawMessage{}, All: true},
			`{"version":4,"after":0,"entries":[],"all":true}`,
		},
		{
			team.Policy{
				Patterns: []team.Pattern{{Name: "n", Regexp: "r"}}, MaxBytes: 4 << 20, MaxEntries: 20_000,
				MaxDescription: 256 << 10, Version: "1.0",
			},
			`{"max_bytes":4194304,"max_description":262144,"max_entries":20000,` +
				`"patterns":[{"name":"n","regexp":"r"}],"version":"1.0"}`,
		},
		{
			team.Check{Sessions: []team.Copy{{ID: "x", Events: 5, Digest: "d1"}}},
			`{"sessions":[{"id":"x","events":5,"digest":"d1"}]}`,
		},
		{team.Checked{Differ: []string{"a"}, Deleted: []string{}}, `{"deleted":[],"differ":["a"]}`},
		{team.Share{Seconds: 60}, `{"anyone":false,"seconds":60}`},
		{
			team.Link{Path: "/l/x", Expires: at, Anyone: true},
			`{"anyone":true,"expires_at":"2026-11-20T09:30:00Z","path":"/l/x"}`,
		},
		{team.Revoked{Revoked: 2}, `{"revoked":2}`},
		{team.Login{Hash: "ab", Name: "box"}, `{"hash":"ab","name":"box"}`},
		{
			team.Usage{Usage: []team.Used{{Session: "x", Cwd: "~", Usage: used}}},
			`{"usage":[{"session":"x","cwd":"~",` + usedBody + `]}`,
		},
		{team.Refusal{Code: "conflict", Message: "m"}, `{"code":"conflict","message":"m"}`},
	} {
		body, err := json.Marshal(c.message)
		if err != nil || string(body) != c.body {
			t.Errorf("%T: %v\n%s, want\n%s", c.message, err, body, c.body)
		}
		got := reflect.New(reflect.TypeOf(c.message))
		if err := json.Unmarshal([]byte(c.body), got.Interface()); err != nil {
			t.Errorf("%T: %v", c.message, err)
		}
		if diff := cmp.Diff(c.message, got.Elem().Interface()); diff != "" {
			t.Errorf("%T (-want +got):\n%s", c.message, diff)
		}
	}
}
