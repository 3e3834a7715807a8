package prompt

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/ptyrec/ptyrec/extractor"
)

// agent is what is known about sending to an agent.
type agent struct {
	interrupt []string // keys that stop a reply, pressed one after the other
	shell     bool     // a text that begins with ! runs a shell command even if it is pasted
	typed     bool     // a command (/clear) works only if it is typed
	completes bool     // Enter behind a word that begins with @ chooses a completion
	denies    bool     // it takes a command that it does not know, and says so
	clear     string   // the key that empties the input box, where an unknown command stays in it
	folds     []string // beginnings of what the input box shows in place of a long paste
}

// agents are the agents that prompts can be sent to, by name. SENDER.md has the measurements.
var agents = map[string]agent{
	"claude":   {interrupt: []string{"\x03"}, shell: true, completes: true, denies: true, folds: []string{"[Pasted text #"}},
	"codex":    {interrupt: []string{"\x1b"}, shell: true, completes: true, clear: "\x03", folds: []string{"[Pasted Content "}},
	"gemini":   {interrupt: []string{"\x03"}, typed: true, completes: true, folds: []string{"[Pasted Text: "}},
	"opencode": {interrupt: []string{"\x1b", "\x1b"}, typed: true, completes: true, folds: []string{"[Pasted ~"}},
	"qwen":     {interrupt: []string{"\x1b"}, typed: true, completes: true, denies: true, folds: []string{"[Pasted Content ", "[Pasted Text: "}},
}

// Title returns what an agent calls itself, or its name if it is not known.
func Title(agent string) string { return cmp.Or(extractor.Title(agent), agent) }

// keys returns the keys that put a prompt into the agent's input box.
func (a agent) keys(text string) []byte {
	last := text[strings.LastIndexAny(text, " \t\n")+1:]
	if a.completes && strings.HasPrefix(last, "@") {
		text += " " // ends the word, and closes the list of completions
	}
	return keysOf(text, a.typed && IsCommand(text))
}

// shows reports whether the input box holds a text that ends with mark, or what the agent shows in
// its place.
func (a agent) shows(s extractor.Sight, m mark) bool {
	for _, fold := range a.folds {
		if strings.Contains(s.Box, fold) {
			return true
		}
	}
	return s.Boxed && m.in(s.Box)
}

// suggestion is a row of the list of commands that opens while one is typed.
var suggestion = regexp.MustCompile(`^[ │┃]*/?([a-z][a-z:-]+) {2,}\S`)

// misleads reports whether Enter would choose another command than the one that was typed: the list
// is not up to date yet, say.
func (a agent) misleads(s extractor.Sight, text string) bool {
	if !a.typed || !IsCommand(text) {
		return false
	}
	name := strings.Fields(text)[0][1:]
	for _, row := range s.Rest {
		if m := suggestion.FindStringSubmatch(row); m != nil {
			return !strings.HasPrefix(m[1], name)
		}
	}
	return false
}
