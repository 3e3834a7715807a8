package agentimport_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/internal/archive"
)

// talk returns a log of turns, each a prompt and its reply, some seconds after the start.
func talk(name string, turns map[int][2]string) (lines []string) {
	for at := range 1000 {
		if t, ok := turns[at]; ok {
			lines = append(lines, said(at, "user", fmt.Sprint(name, at), t[0]))
			if t[1] != "" {
				lines = append(lines, said(at+1, "assistant", fmt.Sprint(name, at, "r"), t[1]))
			}
		}
	}
	return lines
}

// What was said to an agent in another terminal is imported, though a session was recorded in the
// same folder at the same time, and shows some of the same prompts.
func TestWhatAnotherTerminalSaidIsImported(t *testing.T) {
	const cold, warm = "It is cold: nobody has asked yet.", "The table is sorted by its first column."
	recorded := map[int]string{10: "Explain the cache", 12: "Reply: " + cold, 30: "Go on",
		32: "Reply: Then I go on with the second part."}
	for name, tt := range map[string]struct {
		turns map[int][2]string
		want  string
	}{
		"all was recorded": {map[int][2]string{10: {"Explain the cache", cold},
			30: {"Go on", "Then I go on with the second part."}}, "0 imported, 0 already there, 1 recorded by ptyrec\n"},
		"the screen shows no reply": {map[int][2]string{10: {"Explain the cache", ""}, 30: {"Go on", ""}},
			"0 imported, 0 already there, 1 recorded by ptyrec\n"},
		"a turn in between": {map[int][2]string{10: {"Explain the cache", cold}, 20: {"Sort the table", warm},
			30: {"Go on", "Then I go on with the second part."}}, "ID  claude: Sort the table\n1 imported, 0 already there\n"},
		"another prompt is shown": {map[int][2]string{10: {"/explain", cold},
			30: {"Go on", "Then I go on with the second part."}}, "0 imported, 0 already there, 1 recorded by ptyrec\n"},
		"the same prompts": {map[int][2]string{10: {"Explain the cache", warm},
			30: {"Go on", "Nothing is left to do here, it seems."}},
			"ID  claude: Explain the cache\n1 imported, 0 already there\n"},
		"a prompt of many": {map[int][2]string{10: {"Sort the table", ""}, 20: {"And the list", ""},
			30: {"Go on", ""}}, "ID  claude: Sort the table\n1 imported, 0 already there\n"},
		"said more often": {map[int][2]string{28: {"Go on", ""}, 30: {"Go on", ""}},
			"ID  claude: Go on\n1 imported, 0 already there\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s, project := database(t), claude(t)
			record(t, s, "/shop", "recorded", 0, 500, recorded)
			write(t, filepath.Join(project, "1.jsonl"), talk("a", tt.turns)...)
			check(t, "import", imported(t, s, archive.Redaction{}), tt.want)
		})
	}
}

// A prompt that the screen showed once is that of one conversation, and of its copies.
func TestARecordedPromptIsThatOfOneConversation(t *testing.T) {
	s, project := database(t), claude(t)
	record(t, s, "/shop", "recorded", 0, 500, map[int]string{10: "Explain the cache"})
	turns := map[int][2]string{10: {"Explain the cache", ""}}
	write(t, filepath.Join(project, "1.jsonl"), talk("a", turns)...)
	write(t, filepath.Join(project, "2.jsonl"), talk("b", turns)...)
	write(t, filepath.Join(project, "3.jsonl"), talk("a", turns)...)
	check(t, "import", imported(t, s, archive.Redaction{}),
		"ID  claude: Explain the cache\n1 imported, 0 already there, 2 recorded by ptyrec\n")
}

// However many logs and prompts have the time of one recording: each turn is compared with a few
// prompts.
func TestLogsOfTheTimeOfARecordingAreComparedInLinearTime(t *testing.T) {
	const n = 40
	prompts := map[int]string{}
	for i := range n {
		prompts[10+i] = fmt.Sprintf("Go on with part %d", i)
	}
	for name, text := range map[string]string{"the same prompts": "Go on with part 1",
		"others": "Sort the table by another column", "elsewhere": "Go on"} {
		t.Run(name, func(t *testing.T) {
			s, project := database(t), claude(t)
			record(t, s, "/shop", "recorded", 0, 500, prompts)
			turns := map[int][2]string{}
			for i := range n {
				turns[10+i] = [2]string{text, "Now I go on with all of the parts."}
			}
			for i := range n {
				lines := talk(fmt.Sprint(i), turns)
				if name == "elsewhere" {
					lines = strings.Split(strings.ReplaceAll(strings.Join(lines, "\n"), `"/shop"`, `"/other"`), "\n")
				}
				write(t, filepath.Join(project, fmt.Sprint(i)+".jsonl"), lines...)
			}
			// Of each turn, its two entries are compared with those of other logs, too.
			if got, most := looked(t, s, "claude"), n*n*(16+4); got > most {
				t.Errorf("%d were compared, want at most %d", got, most)
			}
		})
	}
}
