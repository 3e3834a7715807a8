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

// agentOf returns an agent by its name. ok is false if ptyrec cannot send prompts to it.
func agentOf(name string) (a agent, ok bool) {
	a = agent{extractor.AgentOf(name).Send}
	return a, a.Sending != nil
}

// Takes reports whether prompts can be sent to an agent.
func Takes(name string) bool {
	_, ok := agentOf(name)
	return ok
}

// Title returns the title of an agent, or its name if the agent is unknown.
func Title(agent string) string { return cmp.Or(extractor.AgentOf(agent).Title, agent) }

// keys returns the keys that put a prompt into the agent's input box.
func (a agent) keys(text string) []byte {
	last := text[strings.LastIndexAny(text, " \t\n")+1:]
	if a.Completes && strings.HasPrefix(last, "@") {
		text += " " // ends the word, and closes the list of completions
	}
	return keysOf(text, a.Typed && IsCommand(text))
}

// shows reports whether the input box has a text that ends with mark, or the agent's replacement
// for it.
func (a agent) shows(s extractor.Sight, m mark) bool {
	for _, fold := range a.Folds {
		if strings.Contains(s.Box, fold) {
			return true
		}
	}
	return s.Boxed && m.in(s.Box)
}

// suggestion matches a row of the list of commands that opens while a command is typed.
var suggestion = lazy.Regexp(`^[ │┃]*/?([a-z][a-z:-]+) {2,}\S`)

// misleads reports whether Enter would choose another command than the typed one, for example
// because the list is out of date.
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
