package agentapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/prompt"
	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/protocol"
	"github.com/ptyrec/ptyrec/session"
)

// words returns the roles and contents of messages, whose ids must count up from 0.
func words(t *testing.T, list []agentapi.Message) (all []string) {
	t.Helper()
	for i, m := range list {
		if m.ID != i || m.Time.IsZero() {
			t.Errorf("message %d: %+v", i, m)
		}
		all = append(all, m.Role+": "+m.Content)
	}
	return all
}

// Each turn has one user and one agent message, made of the turn's entries.
func TestTurnHasOneMessageOfEachSide(t *testing.T) {
	s := newSite(t, agentapi.Access{}, func(_ *agentapi.API, o *agentapi.Options) { o.Tools = true })
	s.start()
	for _, entry := range [][2]string{
		{session.RoleUser, "first"}, {session.EventBusy, ""}, {session.RoleThinking, "hm"}, {session.RoleAssistant, "one"},
		{session.RoleTool, "Bash(ls)\nmore"},
		{session.RoleAssistant, "two"}, {session.EventIdle, ""},
		{session.RoleUser, "queued 1"}, {session.RoleUser, "queued 2"}, {session.RoleAssistant, "both"},
		{session.EventClear, ""}, {session.RoleUser, "first"}, {session.RoleAssistant, "again"}, {session.EventIdle, ""},
	} {
		s.say(entry[0], entry[1])
	}
	want := []string{
		"agent: Claude Code v2.1.197", "user: first", "agent: one\n\nBash(ls)\n\ntwo", "user: queued 1", "agent: ",
		"user: queued 2", "agent: both",
		"user: /clear", "agent: ", "user: first", "agent: again",
	}
	s.wait("stable", func() bool { return s.fed.Status() == "stable" && len(s.fed.Messages()) == len(want) })
	if diff := cmp.Diff(want, words(t, s.fed.Messages())); diff != "" {
		t.Error(diff)
	}
}

// Messages are plain text, or Markdown if that is asked for.
func TestMessagesAsTextOrMarkdown(t *testing.T) {
	for markdown, want := range map[bool]string{false: "agent: a list:\n\nlast words",
		true: "agent: - a **list**:\n\nlast words"} {
		s := newSite(t, agentapi.Access{}, func(_ *agentapi.API, o *agentapi.Options) { o.Markdown = markdown })
		s.start()
		s.say(session.RoleUser, "list")
		s.fed.Entries(&session.Entry{
			ID: "m", Seq: 50, Agent: "claude", At: time.Now(), Type: session.TypeMessage, Role: session.RoleAssistant,
			Text: "a list:", Markdown: "- a **list**:", Status: session.StatusComplete,
		})
		s.seq = 50
		s.say(session.RoleAssistant, "last words")
		s.say(session.EventIdle, "")
		s.wait("stable", func() bool { return s.fed.Status() == "stable" && len(s.fed.Messages()) == 3 })
		if got := words(t, s.fed.Messages())[2]; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The words that were sent are the message, whatever the agent shows of them, and the status is
// running until the reply is there.
func TestMessageHasTheWordsSent(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	long := strings.Repeat("many words\n", 40)
	if resp, body := s.do("POST", "/message",
		`{"type":"user","content":`+fmt.Sprintf("%q", long)+`}`); resp.StatusCode != http.StatusOK {
		t.Fatal(body)
	}
	want := []string{"agent: Claude Code v2.1.197", "user: " + strings.TrimSpace(long)}
	if got := words(t, s.fed.Messages()); !cmp.Equal(got, want) || s.fed.Status() != "running" {
		t.Errorf("%s %q", s.fed.Status(), got)
	}
	if resp, body := s.do("POST", "/message",
		`{"type":"user","content":"too soon"}`); resp.StatusCode != http.StatusInternalServerError ||
		!strings.Contains(body, "message can only be sent when the agent is waiting for user input") {
		t.Errorf("%s %s", resp.Status, body)
	}
	s.say(session.RoleUser, "[Pasted text #1 +39 lines]")
	s.say(session.EventBusy, "")
	s.say(session.RoleAssistant, "Read.")
	s.say(session.EventIdle, "")
	s.wait("stable", func() bool { return s.fed.Status() == "stable" })
	if diff := cmp.Diff(append(want, "agent: Read."), words(t, s.fed.Messages())); diff != "" {
		t.Error(diff)
	}
}

// What a command prints is its reply: the agent need not be seen at work.
func TestOutputOfACommandIsItsReply(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	if resp, body := s.do("POST", "/message", `{"type":"user","content":"/status"}`); resp.StatusCode != http.StatusOK {
		t.Fatal(body)
	}
	s.seq++
	s.fed.Entries(&session.Entry{
		ID: "c", Seq: s.seq, Type: session.TypeMessage, Role: session.RoleCommand, Agent: "claude", At: time.Now(),
		Text: "/status", Output: "all is well", Status: session.StatusComplete,
	})
	s.wait("stable", func() bool { return s.fed.Status() == "stable" && len(s.fed.Messages()) == 3 })
	if diff := cmp.Diff([]string{"user: /status", "agent: all is well"}, words(t, s.fed.Messages())[1:]); diff != "" {
		t.Error(diff)
	}
}

// Why a prompt was refused is the reason, and what the agent asks the detail.
func TestRefusalsSayWhy(t *testing.T) {
	for _, test := range []struct {
		err            error
		reason, detail string
	}{
		{&prompt.AskingError{Question: "Run it?\n1. Yes"}, "the agent asks a question: answer it with a raw message",
			`Run it?\n1. Yes`},
		{&prompt.BoxError{Left: "half a word"}, "the agent's input box is not empty", "half a word"},
		{&prompt.NotTakenError{Left: "all of it"}, "the agent did not accept the message", "all of it"},
		{prompt.ErrInProgress, "message can only be sent when the agent is waiting for user input",
			"unexpected error occurred"},
		{prompt.ErrNoControl, "programs may not type: nobody has granted it", "unexpected error occurred"},
		{errors.New("a wire is cut"), "a wire is cut", "unexpected error occurred"},
	} {
		s := newSite(t, agentapi.Access{}, nil)
		s.start()
		s.sender.err = test.err
		resp, body := s.do("POST", "/message", `{"type":"user","content":"hello"}`)
		if want := fmt.Sprintf(`"detail":"%s","errors":[{"message":"failed to send message: %s"}]}`, test.detail,
			test.reason); resp.StatusCode != http.StatusInternalServerError || !strings.Contains(body, want) {
			t.Errorf("%v: %s %s, want %s", test.err, resp.Status, body, want)
		}
		if list := s.fed.Messages(); len(list) != 1 {
			t.Errorf("%v: it made a message: %+v", test.err, list)
		}
	}
}

// Of an unknown program a message is what appeared since the prompt, the lines that scrolled off
// included, without echo and prompt.
func TestMessageOfAnUnknownProgram(t *testing.T) {
	s := newSite(t, agentapi.Access{}, func(_ *agentapi.API, o *agentapi.Options) { o.Type = "custom" })
	show := func(text string) { s.fed.Feed(client.Output{Data: []byte(strings.ReplaceAll(text, "\n", "\r\n"))}) }
	s.fed.Feed(protocol.Snapshot{Cols: 20, Rows: 5})
	show("Welcome\n> ")
	s.wait("stable", func() bool { return s.fed.Status() == "stable" })
	if resp, body := s.do("POST", "/message", `{"type":"user","content":"count"}`); resp.StatusCode != http.StatusOK {
		t.Fatal(body)
	}
	show("count\n")
	var lines []string
	for i := range 1500 {
		lines = append(lines, fmt.Sprintf("row number %d of it, wrapped", i))
	}
	show(strings.Join(lines, "\n") + "\n> ")
	s.wait("stable", func() bool { return s.fed.Status() == "stable" && len(s.fed.Messages()) == 3 })
	if diff := cmp.Diff([]string{"agent: Welcome\n>", "user: count", "agent: " + strings.Join(lines, "\n")},
		words(t, s.fed.Messages())); diff != "" {
		t.Error(diff)
	}
}

// A message that is refused changes nothing of what an unknown program has said (it emptied it).
func TestRefusedMessageChangesNothing(t *testing.T) {
	s := newSite(t, agentapi.Access{}, func(_ *agentapi.API, o *agentapi.Options) { o.Type = "custom" })
	s.fed.Feed(client.Output{Data: []byte("hello\r\n")})
	said := func() bool { return s.fed.Status() == "stable" && s.fed.Messages()[0].Content == "hello" }
	s.wait("stable", said)
	s.sender.err = errors.Join(prompt.ErrNoControl, errors.New("no_control"))
	resp, body := s.do("POST", "/message", `{"type":"user","content":"too soon"}`)
	if resp.StatusCode != http.StatusInternalServerError ||
		!strings.Contains(body, `failed to send message: programs may not type: nobody has granted it"`) {
		t.Errorf("%s %s", resp.Status, body)
	}
	s.fed.Feed(client.Output{Data: []byte("\r\n")})
	s.wait("stable again", said)
	if got := words(t, s.fed.Messages()); len(got) != 1 {
		t.Errorf("messages %q", got)
	}
}

// An agent that is recognised late is one all the same, and the state that a session says it has
// counts before its entries come.
func TestAgentThatIsRecognisedLate(t *testing.T) {
	s := newSite(t, agentapi.Access{}, func(_ *agentapi.API, o *agentapi.Options) { o.Type = "custom" })
	s.fed.Feed(protocol.Snapshot{Cols: 40, Rows: 5, Data: []byte("Claude Code\r\n> ")})
	s.wait("stable", func() bool { return s.fed.Status() == "stable" })
	if resp, body := s.do("POST", "/message", `{"type":"user","content":"hello"}`); resp.StatusCode != http.StatusOK {
		t.Fatal(body)
	}
	s.fed.Feed(client.Output{Data: []byte("hello\r\n* half a rep")})
	s.wait("the screen", func() bool { return len(s.fed.Messages()) == 3 })
	s.say(session.RoleUser, "hello")
	s.say(session.EventBusy, "")
	s.say(session.RoleAssistant, "a whole reply")
	s.say(session.EventIdle, "")
	s.wait("stable", func() bool { return s.fed.Status() == "stable" })
	if got := words(t, s.fed.Messages()); got[2] != "agent: a whole reply" {
		t.Errorf("%q", got)
	}
	s = newSite(t, agentapi.Access{}, nil)
	s.fed.Feed(client.Connected{Hello: protocol.Hello{Cols: 80, Rows: 24,
		State: protocol.State{State: "idle", Agent: "claude"}}})
	s.wait("stable", func() bool { return s.fed.Status() == "stable" })
}

// An agent that a message starts in a shell changes nothing of what the shell has said (it emptied
// it), and its screen is nobody's reply, also when it is started again.
func TestAgentStartedInAShell(t *testing.T) {
	s := newSite(t, agentapi.Access{}, func(_ *agentapi.API, o *agentapi.Options) { o.Type = "custom" })
	show := func(text string) { s.fed.Feed(client.Output{Data: []byte(strings.ReplaceAll(text, "\n", "\r\n"))}) }
	post := func(text string) {
		t.Helper()
		s.wait("stable", func() bool { return s.fed.Status() == "stable" })
		if resp, body := s.do("POST", "/message",
			fmt.Sprintf(`{"type":"user","content":%q}`, text)); resp.StatusCode != http.StatusOK {
			t.Fatal(body)
		}
		show(text + "\n")
	}
	s.fed.Feed(protocol.Snapshot{Cols: 60, Rows: 30})
	show("$ ")
	want := []string{"agent: $", "user: echo before", "agent: before"}
	post("echo before")
	show("before\n$ ")
	for _, prompt := range []string{"hello", "hello again"} {
		post("claude")
		show("* half a banner for " + prompt + "\n")
		s.wait("the screen", func() bool {
			got := s.fed.Messages()
			return strings.Contains(got[len(got)-1].Content,
				"for "+prompt)
		})
		s.say(session.EventNewSession, "")
		s.say(session.EventIdle, "")
		post(prompt)
		s.say(session.RoleUser, prompt)
		s.say(session.EventBusy, "")
		s.say(session.RoleAssistant, "a reply")
		s.say(session.EventIdle, "")
		post("/exit")
		s.say(session.EventCLIExit, "")
		show("\x1b[Hafter " + prompt + "\n$ ")
		want = append(want, "user: claude", "agent: ", "user: "+prompt, "agent: a reply", "user: /exit")
	}
	s.wait("stable", func() bool { return s.fed.Status() == "stable" })
	got := slices.DeleteFunc(words(t, s.fed.Messages()),
		func(m string) bool { return strings.HasPrefix(m, "agent: after") })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A program whose entries come late or change their numbers is not stable too soon: an entry that
// is put between others is no new state.
func TestAnswerIsAwaited(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	s.say(session.EventAsking, "")
	s.wait("stable", func() bool { return s.fed.Status() == "stable" })
	if resp, _ := s.do("POST", "/message", `{"type":"raw","content":"1"}`); resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	s.fed.Entries(&session.Entry{ID: "between", Seq: 3, Type: session.TypeMessage, Role: session.RoleSystem,
		Text: "You approved", Status: session.StatusStreaming},
		&session.Entry{ID: "e3", Seq: 4, Type: session.TypeEvent, Event: session.EventAsking, Agent: "claude"})
	if s.fed.Status() != "running" {
		t.Error("stable before the agent reacted")
	}
	s.seq = 4
	s.say(session.EventBusy, "")
	s.say(session.EventIdle, "")
	s.wait("stable", func() bool { return s.fed.Status() == "stable" })
}

// The messages of an earlier run come back, ids continue, and the first prompt is sent once; a
// broken file is a warning.
func TestStateOfAnEarlierRunComesBack(t *testing.T) {
	name := filepath.Join(t.TempDir(), "deep", "state.json")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	saved := agentapi.State{Version: 1, InitialPrompt: "do it", InitialPromptSent: true, Messages: []agentapi.StateMessage{
		{ID: 0, Role: "agent", Message: "hello", Time: at}, {ID: 1, Role: "user", Message: "do it", Time: at},
		{ID: 2, Role: "agent", Message: "done", Time: at},
	}}
	if err := agentapi.WriteState(name, saved); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	for _, test := range []struct {
		prompt string
		sent   []string
	}{{"do it", nil}, {"do more", []string{"do more"}}} {
		s := newSite(t, agentapi.Access{}, func(_ *agentapi.API, o *agentapi.Options) {
			o.Start = agentapi.Start{Prompt: test.prompt,
				Load: func() (agentapi.State, error) { return agentapi.ReadState(name) }}
		})
		if _, ok := s.fed.State(); ok {
			t.Error("the state counts before it is read")
		}
		s.say(session.EventNewSession, "")
		s.say(session.EventIdle, "")
		s.wait("the state", func() bool { return len(s.fed.Messages()) >= 3+len(test.sent) })
		want := []string{"agent: hello", "user: do it", "agent: done"}
		for _, text := range test.sent {
			want = append(want, "user: "+text)
		}
		if diff := cmp.Diff(want, words(t, s.fed.Messages())); diff != "" {
			t.Error(diff)
		}
		if len(test.sent) > 0 {
			s.wait("the prompt", func() bool {
				state, _ := s.fed.State()
				return state.InitialPromptSent && state.InitialPrompt == test.prompt
			})
		}
		s.sender.mu.Lock()
		if diff := cmp.Diff(test.sent, s.sender.sent); diff != "" {
			t.Error(diff)
		}
		s.sender.mu.Unlock()
	}
}

func TestBrokenStateIsAWarning(t *testing.T) {
	for _, text := range []string{`{"version":1,`, `{"version":2,"messages":[]}`,
		`{"version":1,"messages":[{"role":"robot"}]}`} {
		name := filepath.Join(t.TempDir(), "state.json")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := newSite(t, agentapi.Access{}, func(_ *agentapi.API, o *agentapi.Options) {
			o.Start.Load = func() (agentapi.State, error) { return agentapi.ReadState(name) }
		})
		s.start()
		resp, body := s.do("GET", "/messages", "")
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, "Claude Code") {
			t.Errorf("%s: %s", text, body)
		}
		if got := s.fed.Failures(); len(got) != 1 || !strings.HasPrefix(got[0], "warning: ") ||
			!strings.Contains(got[0], name) {
			t.Errorf("%s: %q", text, got)
		}
	}
	if s, err := agentapi.ReadState(filepath.Join(t.TempDir(), "none")); err != nil || len(s.Messages) > 0 {
		t.Errorf("a file that is not there: %+v %v", s, err)
	}
}

// The type is that of the flag, or of the command's name.
func TestTypeOfCommand(t *testing.T) {
	for want, commands := range map[string][][]string{
		"claude": {{"claude"}, {"/opt/bin/claude", "--x"}, {"bash", "-c", "cd /x && exec claude --resume"}},
		"cursor": {{"cursor-agent"}}, "amazonq": {{"q"}, {"amazonq"}},
		"custom": {{"go", "run", "./claude"}, {"bash", "-c", "echo q"}, {"vim", "codex"}, {}},
	} {
		for _, command := range commands {
			if got := agentapi.TypeOfCommand(command); got != want {
				t.Errorf("%q: %s, want %s", command, got, want)
			}
		}
	}
}

// A hundred streams end at the same words, and one that is not read holds nobody up.
func TestUnreadStreamDelaysNobody(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	const streams = 100
	ends := make(chan string, streams)
	deaf := s.open("/events")
	defer deaf.Body.Close()
	for range streams {
		resp := s.open("/events")
		go func() {
			defer resp.Body.Close()
			ends <- lastReply(resp)
		}()
	}
	s.say(session.RoleUser, "go")
	s.say(session.EventBusy, "")
	s.seq++
	at := s.seq
	for i := range 50 {
		s.fed.Entries(&session.Entry{
			ID: "grows", Seq: at, Type: session.TypeMessage, Role: session.RoleAssistant, Agent: "claude", At: time.Now(),
			Text: strings.Repeat("more and more words ", i*20), Status: session.StatusStreaming,
		})
	}
	s.fed.Entries(&session.Entry{ID: "grows", Seq: at, Type: session.TypeMessage, Role: session.RoleAssistant,
		Agent: "claude", At: time.Now(), Text: "the last words", Status: session.StatusComplete})
	s.say(session.EventIdle, "")
	for range streams {
		select {
		case got := <-ends:
			if got != "the last words" {
				t.Errorf("a stream ends at %q", got)
			}
		case <-time.After(time.Minute):
			t.Fatal("a stream does not end")
		}
	}
}
