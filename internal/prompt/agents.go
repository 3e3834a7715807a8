package prompt

import (
	"cmp"
	"strings"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// agent is an agent that prompts can be sent to.
type agent struct{ *chat.Sending }

// agentOf returns the agent of a name; ok is false if it is not known how to send to it.
func agentOf(name string) (a agent, ok bool) {
	a = agent{extractor.AgentOf(name).Send}
	return a, a.Sending != nil
}

// Takes reports whether prompts can be sent to an agent.
func Takes(name string) bool {
	_, ok := agentOf(name)
	return ok
}

// Title returns what an agent calls itself, or its name if it is not known.
func Title(agent string) string { return cmp.Or(extractor.AgentOf(agent).Title, agent) }

// keys returns the keys that put a prompt into the agent's input box.
func (a agent) keys(text string) []byte {
	last := text[strings.LastIndexAny(text, " \t\n")+1:]
	if a.Completes && strings.HasPrefix(last, "@") {
		text += " " // ends the word, and closes the list of completions
	}
	return keysOf(text, a.Typed && IsCommand(text))
}

// shows reports whether the input box holds a text that ends with mark, or what the agent shows in
// its place.
func (a agent) shows(s extractor.Sight, m mark) bool {
	for _, fold := range a.Folds {
		if strings.Contains(s.Box, fold) {
			return true
		}
	}
	return s.Boxed && m.in(s.Box)
}

// suggestion is a row of the list of commands that opens while one is typed.
var suggestion = lazy.Regexp(`^[ │┃]*/?([a-z][a-z:-]+) {2,}\S`)

// misleads reports whether Enter would choose another command than the one that was typed: the list
// is not up to date yet, say.
func (a agent) misleads(s extractor.Sight, text string) bool {
	if !a.Typed || !IsCommand(text) {
		return false
	}
	name := strings.Fields(text)[0][1:]
	for _, row := range s.Rest {
		if m := suggestion().FindStringSubmatch(row); m != nil {
			return !strings.HasPrefix(m[1], name)
		}
	}
	return false
}
