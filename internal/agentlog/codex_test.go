package agentlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/ptyrec/ptyrec/session"
)

// object is a JSON object.
type object = map[string]any

// codexLog builds a log of Codex in which a second passes from line to line.
type codexLog struct {
	lines  []string
	minute int
	input  int // tokens, in all
	output int
}

// now returns the time of the next line.
func (c *codexLog) now() time.Time {
	return time.Date(2026, 5, 1, 10, c.minute, len(c.lines), 0, time.UTC)
}

func (c *codexLog) add(typ string, payload object, more ...object) *codexLog {
	l := object{"timestamp": c.now(), "type": typ, "payload": payload}
	for _, m := range more {
		for key, value := range m {
			l[key] = value
		}
	}
	b, _ := json.Marshal(l)
	c.lines = append(c.lines, string(b))
	return c
}

func (c *codexLog) meta(id string, more ...object) *codexLog {
	payload := object{"id": id, "cwd": "/shop", "cli_version": "0.153.4", "timestamp": c.now()}
	for _, m := range more {
		for key, value := range m {
			payload[key] = value
		}
	}
	return c.add("session_meta", payload)
}

func (c *codexLog) event(typ, message string) *codexLog {
	return c.add("event_msg", object{"type": typ, "message": message})
}

// item adds a message of the context. kinds has the kind of each text; nil: the log does not say
// so.
func (c *codexLog) item(role string, kinds []string, texts ...string) *codexLog {
	var content []object
	for _, text := range texts {
		content = append(content, object{"type": "input_text", "text": text})
	}
	payload := object{"type": "message", "role": role, "content": content}
	if kinds != nil {
		payload["internal_chat_message_metadata_passthrough"] = object{"content_item_kinds": kinds}
	}
	return c.add("response_item", payload)
}

// turn adds a prompt and its reply, for which 100 tokens are used.
func (c *codexLog) turn(prompt, reply string) *codexLog {
	c.item("user", nil, prompt).event("user_message", prompt).event("agent_message", reply).item("assistant", nil, reply)
	c.input, c.output = c.input+90, c.output+10
	return c.add("event_msg", object{"type": "token_count", "info": object{
		"total_token_usage": object{"input_tokens": c.input, "output_tokens": c.output, "total_tokens": c.input + c.output},
		"last_token_usage":  object{"input_tokens": 90, "output_tokens": 10, "total_tokens": 100},
	}})
}

// fork returns the log of a conversation that begins with all that is in c.
func (c *codexLog) fork(id string, minute int, more ...object) *codexLog {
	f := &codexLog{minute: minute, input: c.input, output: c.output}
	f.meta(id, more...)
	for _, line := range c.lines {
		var l object
		_ = json.Unmarshal([]byte(line), &l)
		f.add(l["type"].(string), l["payload"].(object))
	}
	return f
}

func (c *codexLog) text() string { return strings.Join(c.lines, "\n") + "\n" }

// spawned is the source of a subagent's log.
func spawned(by string) object {
	return object{"source": object{"subagent": object{"thread_spawn": object{"parent_thread_id": by, "depth": 1}}}}
}

func forked(from string) object { return object{"forked_from_id": from} }

// codexHome makes a home of Codex with files, by their names in sessions/2026/05/01.
func codexHome(t testing.TB, files map[string]string) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("CODEX_HOME", home)
	for name, text := range files {
		writeFile(t, filepath.Join(home, "sessions", "2026", "05", "01", name), text)
	}
	return home
}

// found returns what is said in each conversation of an agent, by the names of their files, and the
// tokens in all.
func found(t testing.TB, agent string) (said map[string][]string, tokens int64) {
	t.Helper()
	said = map[string][]string{}
	for _, l := range Find(agent, func(err error) { t.Error(err) }) {
		lines, _, used := told(t, &l)
		name := filepath.Base(l.Path)
		if l.Lone {
			name = "lone " + name
		} else {
			for _, u := range used {
				tokens += u.Total
			}
		}
		if said[name] != nil {
			t.Errorf("%s is there twice", name)
		}
		said[name] = lines
	}
	return said, tokens
}

// TestCodexForksHaveTheirOwnAlone reads forks, and forks of forks, which repeat all that was said
// before: neither text nor tokens come twice.
func TestCodexForksHaveTheirOwnAlone(t *testing.T) {
	parent := (&codexLog{}).meta("p").turn("zebras?", "striped").turn("horses?", "not")
	a := parent.fork("a", 1, forked("p")).turn("mules?", "grey")
	b := a.fork("b", 2, forked("a")).turn("donkeys?", "grey, too")
	early := (&codexLog{lines: parent.lines[:6], input: 90, output: 10}).fork("early", 3, forked("p")).turn("horses?",
		"brown")
	parent.turn("mules?", "of the parent, later")
	codexHome(t, map[string]string{"1.jsonl": parent.text(), "2.jsonl": a.text(), "3.jsonl": b.text(),
		"4.jsonl": early.text()})
	said, tokens := found(t, "codex")
	want := map[string][]string{
		"1.jsonl": {"user: zebras?", "assistant: striped", "user: horses?", "assistant: not", "user: mules?",
			"assistant: of the parent, later"},
		"2.jsonl": {"user: mules?", "assistant: grey"},
		"3.jsonl": {"user: donkeys?", "assistant: grey, too"},
		"4.jsonl": {"user: horses?", "assistant: brown"},
	}
	if diff := cmp.Diff(want, said); diff != "" || tokens != 600 {
		t.Errorf("%d tokens, want 600; said (-want +got):\n%s", tokens, diff)
	}
}

// TestCodexForksWithLongHeads reads forks of forks that do not name their parents, where the first
// line of each conversation contains megabytes.
func TestCodexForksWithLongHeads(t *testing.T) {
	long := object{"base_instructions": object{"text": strings.Repeat("You are Codex. ", 9<<20/15)}}
	parent := (&codexLog{}).meta("p", long).turn("zebras?", "striped")
	a := parent.fork("a", 1, long).turn("mules?", "grey")
	b := a.fork("b", 2, long).turn("donkeys?", "grey, too")
	codexHome(t, map[string]string{"1.jsonl": parent.text(), "2.jsonl": a.text(), "3.jsonl": b.text()})
	said, tokens := found(t, "codex")
	want := map[string][]string{
		"1.jsonl": {"user: zebras?", "assistant: striped"},
		"2.jsonl": {"user: mules?", "assistant: grey"},
		"3.jsonl": {"user: donkeys?", "assistant: grey, too"},
	}
	if diff := cmp.Diff(want, said); diff != "" || tokens != 300 {
		t.Errorf("%d tokens, want 300; said (-want +got):\n%s", tokens, diff)
	}
}

// TestCodexForkWithBrokenLines loses nothing behind lines that cannot be read.
func TestCodexForkWithBrokenLines(t *testing.T) {
	parent := (&codexLog{}).meta("p").turn("zebras?", "striped")
	parent.lines = append(parent.lines[:3:3], append([]string{"{", "nonsense"}, parent.lines[3:]...)...)
	whole := &codexLog{minute: 1, input: 90, output: 10}
	whole.meta("f", forked("p"))
	whole.lines = append(whole.lines, parent.lines...)
	whole.turn("mules?", "grey")
	codexHome(t, map[string]string{"1.jsonl": parent.text(), "2.jsonl": whole.text()})
	said, tokens := found(t, "codex")
	if diff := cmp.Diff([]string{"user: mules?", "assistant: grey"}, said["2.jsonl"]); diff != "" || tokens != 200 {
		t.Errorf("%d tokens, want 200; said (-want +got):\n%s", tokens, diff)
	}
}

// TestCodexForkWithoutItsParent keeps what nobody else has.
func TestCodexForkWithoutItsParent(t *testing.T) {
	parent := (&codexLog{}).meta("p").turn("zebras?", "striped")
	codexHome(t, map[string]string{"2.jsonl": parent.fork("a", 1, forked("p")).turn("mules?", "grey").text()})
	said, tokens := found(t, "codex")
	want := map[string][]string{"2.jsonl": {"user: zebras?", "assistant: striped", "user: mules?", "assistant: grey"}}
	if diff := cmp.Diff(want, said); diff != "" || tokens != 200 {
		t.Errorf("%d tokens, want 200; said (-want +got):\n%s", tokens, diff)
	}
}

// TestCodexForksOfOneThatIsGone counts what they all have once.
func TestCodexForksOfOneThatIsGone(t *testing.T) {
	parent := (&codexLog{}).meta("p").turn("zebras?", "striped")
	gone := parent.fork("gone", 1, forked("p")).turn("horses?", "not")
	child := gone.fork("c", 3, spawned("gone")).turn("task", "done")
	codexHome(t, map[string]string{
		"2.jsonl": parent.fork("a", 1).turn("mules?", "grey").text(),
		"3.jsonl": parent.fork("b", 2, forked("p")).turn("donkeys?", "grey, too").text(), "4.jsonl": child.text(),
	})
	said, tokens := found(t, "codex")
	want := map[string][]string{
		"2.jsonl":      {"user: zebras?", "assistant: striped", "user: mules?", "assistant: grey"},
		"3.jsonl":      {"user: donkeys?", "assistant: grey, too"},
		"lone 4.jsonl": said["lone 4.jsonl"],
	}
	if diff := cmp.Diff(want, said); diff != "" || tokens != 300 {
		t.Errorf("%d tokens, want 300; said (-want +got):\n%s", tokens, diff)
	}
	writeFile(t, filepath.Join(os.Getenv("CODEX_HOME"), "sessions", "1.jsonl"), parent.text())
	said, tokens = found(t, "codex")
	want = map[string][]string{ // what is gone belongs to nobody but the subagent
		"1.jsonl": {"user: zebras?", "assistant: striped", "tool subagent(horses?) ok: ", "tool subagent() ok: not",
			"tool subagent(task) ok: ", "tool subagent() ok: done"},
		"2.jsonl": {"user: mules?", "assistant: grey"},
		"3.jsonl": {"user: donkeys?", "assistant: grey, too"},
	}
	if diff := cmp.Diff(want, said); diff != "" || tokens != 500 {
		t.Errorf("%d tokens, want 500; said (-want +got):\n%s", tokens, diff)
	}
}

// TestCodexForksInACircle keeps what is said in logs that state that they go on from each other.
func TestCodexForksInACircle(t *testing.T) {
	a, b := (&codexLog{}).meta("a", forked("b")).turn("zebras?", "striped"), (&codexLog{}).meta("b",
		forked("a")).turn("zebras?", "striped")
	codexHome(t, map[string]string{"a.jsonl": a.text(), "b.jsonl": b.text()})
	said, _ := found(t, "codex")
	if lines := slices.Concat(said["a.jsonl"], said["b.jsonl"]); !slices.Equal(lines,
		[]string{"user: zebras?", "assistant: striped"}) {
		t.Errorf("%q", said)
	}
}

// TestCodexLongChainOfForks reads 40 forks, each of the one before.
func TestCodexLongChainOfForks(t *testing.T) {
	files := map[string]string{}
	log := (&codexLog{}).meta("000").turn("prompt 0", "reply 0")
	for i := range 40 {
		files[fmt.Sprintf("%03d.jsonl", i)] = log.text()
		log = log.fork(fmt.Sprintf("%03d", i+1), 5*(i+1),
			forked(fmt.Sprintf("%03d", i))).turn(fmt.Sprintf("prompt %d", i+1), fmt.Sprintf("reply %d", i+1))
	}
	codexHome(t, files)
	said, tokens := found(t, "codex")
	for i := range 40 {
		if lines := said[fmt.Sprintf("%03d.jsonl", i)]; !slices.Equal(lines,
			[]string{fmt.Sprintf("user: prompt %d", i), fmt.Sprintf("assistant: reply %d", i)}) {
			t.Fatalf("%d: %q", i, lines)
		}
	}
	if tokens != 40*100 {
		t.Errorf("%d tokens, want 4,000", tokens)
	}
}

// TestCodexForkKeepsTimes reads a fork that repeats the times of what it repeats, too.
func TestCodexForkKeepsTimes(t *testing.T) {
	parent := (&codexLog{}).meta("p").turn("zebras?", "striped")
	fork := &codexLog{lines: (&codexLog{}).meta("f", forked("p")).lines, input: 90, output: 10}
	fork.lines = append(fork.lines, parent.lines...)
	fork.turn("horses?", "not")
	codexHome(t, map[string]string{"1.jsonl": parent.text(), "2.jsonl": fork.text()})
	said, tokens := found(t, "codex")
	logs := Find("codex", func(err error) { t.Error(err) })
	if all, _, err := logs[1].messages(); err != nil || len(all) != 4 { // the screen shows all of it
		t.Errorf("%d messages to compare with a screen, want 4: %v", len(all), err)
	}
	if diff := cmp.Diff([]string{"user: horses?", "assistant: not"}, said["2.jsonl"]); diff != "" || tokens != 200 {
		t.Errorf("%d tokens, want 200; said (-want +got):\n%s", tokens, diff)
	}
}

// TestCodexForkByReference reads a fork that names the history that it goes on from: its count of
// tokens goes on, too.
func TestCodexForkByReference(t *testing.T) {
	parent := (&codexLog{}).meta("p").turn("zebras?", "striped").turn("horses?", "not")
	fork := &codexLog{minute: 1, input: parent.input, output: parent.output}
	fork.meta("f", object{"history_base": object{"thread_id": "p", "end_ordinal_exclusive": 12},
		"history_mode": "paginated"}).turn("mules?", "grey")
	started := &codexLog{minute: 2, input: parent.input, output: parent.output}
	started.meta("s", spawned("p"), object{"subagent_history_start_ordinal": 3}).
		add("event_msg", object{"type": "user_message", "message": "zebras, in other words?"}, object{"ordinal": 1}).
		add("event_msg", object{"type": "agent_message", "message": "striped, in other words"}, object{"ordinal": 2}).
		add("event_msg", object{"type": "user_message", "message": "task"}, object{"ordinal": 3})
	codexHome(t, map[string]string{"1.jsonl": parent.text(), "2.jsonl": fork.text(), "3.jsonl": started.text()})
	said, tokens := found(t, "codex")
	want := map[string][]string{
		"1.jsonl": {"user: zebras?", "assistant: striped", "user: horses?", "assistant: not", "tool subagent(task) ok: "},
		"2.jsonl": {"user: mules?", "assistant: grey"},
	}
	if diff := cmp.Diff(want, said); diff != "" || tokens != 300 {
		t.Errorf("%d tokens, want 300; said (-want +got):\n%s", tokens, diff)
	}
}

// TestCodexSubagentsBelongToTheirConversation reads the logs of subagents, of their subagents, and
// of guardians with that of the conversation, wherever they are.
func TestCodexSubagentsBelongToTheirConversation(t *testing.T) {
	parent := (&codexLog{}).meta("p").turn("zebras?", "striped")
	child := parent.fork("c", 1, forked("p"), spawned("p")).turn("task", "done")
	grand := child.fork("g", 2, forked("c"), spawned("c")).turn("subtask", "done, too")
	guardian := (&codexLog{minute: 3}).meta("guardian",
		object{"source": object{"subagent": object{"other": "guardian"}}, "parent_thread_id": "p"}).turn("may it?", "it may")
	second := (&codexLog{minute: 3}).meta("second",
		object{"source": object{"subagent": object{"other": "guardian"}}, "session_id": "p"}).turn("may it, too?", "no")
	lost := (&codexLog{minute: 4}).meta("lost", spawned("nobody")).turn("of nobody", "x")
	review := (&codexLog{minute: 5}).meta("review", object{"source": object{"subagent": "review"}}).turn("review", "x")
	memory := (&codexLog{minute: 5}).meta("memory",
		object{"source": object{"internal": "memory_consolidation"}}).turn("remember", "x")
	one, two := (&codexLog{minute: 6}).meta("one", spawned("two")).turn("x", "x"), (&codexLog{minute: 6}).meta("two",
		spawned("one")).turn("x", "x")
	self := (&codexLog{minute: 7}).meta("self", spawned("self"), forked("self")).turn("x", "x")
	home := codexHome(t, map[string]string{
		"0-grand.jsonl": grand.text(), "1.jsonl": parent.text(), "guardian.jsonl": guardian.text(),
		"second.jsonl": second.text(), "lost.jsonl": lost.text(), "review.jsonl": review.text(),
		"memory.jsonl": memory.text(), "one.jsonl": one.text(), "two.jsonl": two.text(), "self.jsonl": self.text(),
	})
	writeFile(t, filepath.Join(home, "archived_sessions", "child.jsonl"), child.text())
	said, tokens := found(t, "codex")
	want := []string{
		"user: zebras?", "assistant: striped",
		"tool subagent(subtask) ok: ", "tool subagent() ok: done, too",
		"tool subagent(task) ok: ", "tool subagent() ok: done",
		"tool subagent(may it?) ok: ", "tool subagent() ok: it may",
		"tool subagent(may it, too?) ok: ", "tool subagent() ok: no",
	}
	if diff := cmp.Diff(want, said["1.jsonl"]); diff != "" || tokens != 500 {
		t.Errorf("%d tokens, want 500; said (-want +got):\n%s", tokens, diff)
	}
	for _, name := range []string{"lost", "review", "memory", "one", "two", "self"} {
		if _, lone := said["lone "+name+".jsonl"]; !lone {
			t.Errorf("%s is not left alone: %q", name, said)
		}
		delete(said, "lone "+name+".jsonl")
	}
	if len(said) != 1 {
		t.Errorf("%q", said)
	}
}

// TestCodexWentBack reads the log that begins when the user goes back with the one before it.
func TestCodexWentBack(t *testing.T) {
	const id = "01970000-0000-7000-8000-000000000001"
	before := (&codexLog{}).meta(id).turn("zebras?", "striped").turn("horses?", "not")
	after := (&codexLog{lines: before.lines[:6], input: 90, output: 10}).fork(id, 1).turn("mules?", "grey")
	codexHome(t, map[string]string{
		"rollout-2026-05-01T10-00-00-" + id + ".jsonl":                                      before.text(),
		"rollout-2026-05-01T10-01-00-" + id + "_01970000-0000-7000-8000-000000000002.jsonl": after.text(),
		"rollout-2026-05-01T10-02-00-" + "01970000-0000-7000-8000-000000000003" + "_" + id +
			".jsonl": (&codexLog{}).meta("01970000-0000-7000-8000-000000000003").turn("alone", "x").text(),
	})
	said, tokens := found(t, "codex")
	want := []string{"user: zebras?", "assistant: striped", "user: horses?", "assistant: not",
		"system: The user went back to an earlier message.", "user: mules?", "assistant: grey"}
	if diff := cmp.Diff(want, said["rollout-2026-05-01T10-00-00-"+id+".jsonl"]); diff != "" || tokens != 400 ||
		len(said) != 2 {
		t.Errorf("%d tokens, want 400; %d conversations, want 2; said (-want +got):\n%s", tokens, len(said), diff)
	}
}

// TestCodexInjectedTexts leaves out what the agent says in the user's name, as the log states or,
// in older ones, as the text tells.
func TestCodexInjectedTexts(t *testing.T) {
	const literal = "<skill> is the tag, why?"
	log := (&codexLog{}).meta("p").
		item("user", []string{"plugins.recommendations", "agents_md.instructions", "environments.environment_context"},
			"<recommended_plugins>x</recommended_plugins>", "# AGENTS.md instructions", "x").
		item("user", []string{"skills.selected_skill_instructions", "user.text"}, "<skill>x</skill>", literal).
		item("user", []string{"hooks.additional_context"}, "said by a hook").
		event("agent_message", "first").
		item("user", nil, "<skill>\n<name>x</name>\n</skill>").
		item("user", nil, "<recommended_plugins>\nx\n</recommended_plugins>").
		item("user", nil, "<subagent_notification>\n{}\n</subagent_notification>").
		item("user", nil, "<not_known_yet>\nx\n</not_known_yet>").
		item("user", nil, "<div>a question about markup</div>").
		event("agent_message", "second").
		event("user_message", "<skill>\n<name>x</name>\n</skill>").
		add("event_msg", object{"type": "user_message", "message": "x", "kind": "environment_context"}).
		add("response_item", object{"type": "message", "role": "user",
			"content": []object{{"type": "input_text",
				"text": "of the parent"}}}, object{"metadata": object{"inherited_user_message": true}})
	codexHome(t, map[string]string{"1.jsonl": log.text()})
	said, _ := found(t, "codex")
	want := []string{"user: " + literal, "assistant: first", "user: <div>a question about markup</div>",
		"assistant: second"}
	if diff := cmp.Diff(want, said["1.jsonl"]); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

// TestCodexPromptsThatAreItemsAlone keeps prompts for which there are no events, though there are
// for replies, in all turns or in some.
func TestCodexPromptsThatAreItemsAlone(t *testing.T) {
	text := object{"type": "task_started"}
	for name, log := range map[string]*codexLog{
		"all turns": (&codexLog{}).meta("p").item("user", nil, "1").event("agent_message", "2").item("assistant",
			nil, "2").item("user", nil, "3").event("agent_message", "4").item("assistant", nil, "4"),
		"events since": (&codexLog{}).meta("p").item("user", nil, "1").item("assistant", nil, "2").item("user", nil,
			"3").event("user_message", "3").event("agent_message", "4").item("assistant", nil, "4"),
		"events, event last": (&codexLog{}).meta("p").event("user_message", "1").item("user", nil, "1").item("assistant",
			nil, "2").event("agent_message", "2").item("user", nil, "3").event("user_message", "3").item("assistant", nil,
			"4").event("agent_message", "4"),
		"stated turns": (&codexLog{}).meta("p").add("event_msg", text).event("user_message", "1").item("user", nil,
			"1").event("agent_message", "2").
			add("event_msg", text).item("user", nil, "3").event("agent_message", "4").item("assistant", nil, "4"),
		"turn behind its prompt": (&codexLog{}).meta("p").event("user_message", "1").add("event_msg", text).item("user",
			nil, "1").event("agent_message", "2").
			event("user_message", "3").add("event_msg", text).item("user", nil, "3").event("agent_message",
			"4").item("assistant", nil, "4"),
		"messages between agents": (&codexLog{}).meta("p").item("user", nil, "1").event("agent_message", "2").
			add("response_item", object{"type": "agent_message", "author": "/root/x",
				"content": []object{{"type": "input_text", "text": "x"}}}).item("user", nil, "3").item("assistant", nil,
			"4").event("agent_message", "4"),
	} {
		codexHome(t, map[string]string{"1.jsonl": log.text()})
		said, _ := found(t, "codex")
		if diff := cmp.Diff([]string{"user: 1", "assistant: 2", "user: 3", "assistant: 4"}, said["1.jsonl"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCodexCompressedLogs reads logs that Codex has compressed, and one of a pair.
func TestCodexCompressedLogs(t *testing.T) {
	parent := (&codexLog{}).meta("p").turn("zebras?", "striped")
	child := parent.fork("c", 1, forked("p"), spawned("p")).turn("task", "done")
	pair := (&codexLog{}).meta("q").turn("horses?", "not")
	home := codexHome(t, map[string]string{"1.jsonl.zst": packed(t, parent.text()),
		"2.jsonl.zst": packed(t, child.text()), "3.jsonl.zst": packed(t, pair.text()), "3.jsonl": pair.text()})
	writeFile(t, filepath.Join(home, "archived_sessions", "4.jsonl.zst"),
		packed(t, (&codexLog{}).meta("r").turn("mules?", "grey").text()))
	said, tokens := found(t, "codex")
	want := map[string][]string{
		"1.jsonl.zst": {"user: zebras?", "assistant: striped", "tool subagent(task) ok: ", "tool subagent() ok: done"},
		"3.jsonl":     {"user: horses?", "assistant: not"},
		"4.jsonl.zst": {"user: mules?", "assistant: grey"},
	}
	if diff := cmp.Diff(want, said); diff != "" || tokens != 400 {
		t.Errorf("%d tokens, want 400; said (-want +got):\n%s", tokens, diff)
	}
}

// TestCodexBrokenCompression reads a compressed log up to where it breaks off, and refuses one that
// expands without end.
func TestCodexBrokenCompression(t *testing.T) {
	dir := t.TempDir()
	log := (&codexLog{}).meta("p").turn("zebras?", "striped")
	for i := range 40_000 {
		log.lines = append(log.lines, fmt.Sprintf(`{"n":%d}`, i*7919))
	}
	text := log.text()
	whole := packed(t, text)
	bomb := filepath.Join(dir, "bomb.jsonl.zst")
	f, err := os.Create(bomb)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range (bombSize >> 20) + 8 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "cut.jsonl.zst"), whole[:len(whole)/2])
	writeFile(t, filepath.Join(dir, "none.jsonl.zst"), text[:1000])
	for name, want := range map[string]string{"bomb": "expand to 128 MiB or more", "cut": "unexpected EOF",
		"none": "magic number mismatch"} {
		messages, _, err := logOf("codex", filepath.Join(dir, name+".jsonl.zst")).messages()
		if err == nil || !strings.Contains(err.Error(), want) || name == "cut" && len(messages) != 2 {
			t.Errorf("%s: %d messages, %v, want %q", name, len(messages), err, want)
		}
	}
}

// TestCodexOneDocument reads the logs of the first versions, which are one document.
func TestCodexOneDocument(t *testing.T) {
	home := codexHome(t, nil)
	writeFile(t, filepath.Join(home, "sessions", "rollout-2025-05-01-x.json"), `{
  "session": {"timestamp": "2025-05-01T10:00:00.000Z", "id": "x", "instructions": ""},
  "items": [
    {"id": "a", "type": "message", "role": "user", "content": [{"type": "input_text", "text": "zebras?"}]},
    {"id": "r", "type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"id": "b", "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "c"},
    {"type": "function_call_output", "call_id": "c", "output": "{\"output\":\"a.txt\",\"metadata\":{\"exit_code\":0}}"},
    {"id": "d", "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "striped"}]}
  ]
}`)
	logs := Find("codex", func(err error) { t.Error(err) })
	if len(logs) != 1 {
		t.Fatalf("%d logs, want 1", len(logs))
	}
	lines, facts, _ := told(t, &logs[0])
	want := []string{"user: zebras?", "thinking: hm", "tool shell(ls) ok: a.txt", "assistant: striped"}
	if diff := cmp.Diff(want, lines); diff != "" || facts.ID != "x" || facts.First.Year() != 2025 {
		t.Errorf("%+v, said (-want +got):\n%s", facts, diff)
	}
}

// TestReadingEndsWithinALine ends a reading, also of a line that has no end, and of the log that
// another one goes on from.
func TestReadingEndsWithinALine(t *testing.T) {
	parent := (&codexLog{}).meta("p").turn("zebras?", "striped")
	home := codexHome(t, map[string]string{"1.jsonl": parent.text(), "2.jsonl": parent.fork("a", 1, forked("p")).text()})
	for _, name := range []string{"1.jsonl", "2.jsonl"} {
		if err := os.Truncate(filepath.Join(home, "sessions", "2026", "05", "01", name), 1<<40); err != nil { // a hole
			t.Fatal(err)
		}
	}
	logs := Find("codex", func(err error) { t.Error(err) })
	if len(logs) != 2 {
		t.Fatalf("%d logs, want 2", len(logs))
	}
	enough := errors.New("enough")
	for _, l := range logs {
		n := 0
		_, err := l.Read(Sink{Entry: func(*session.Entry, string) error { return nil }, Seen: func(int) error {
			if n++; n > 1000 {
				return enough
			}
			return nil
		}})
		if !errors.Is(err, enough) {
			t.Errorf("%s: %v", l.Path, err)
		}
	}
}
