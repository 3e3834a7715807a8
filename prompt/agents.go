package prompt

// agent is what is known about sending to an agent.
type agent struct {
	interrupt []string // keys that stop a reply, pressed one after the other
	shell     bool     // a text that begins with ! runs a shell command even if it is pasted
	typed     bool     // a command (/clear) works only if it is typed
	folds     []string // beginnings of what the input box shows in place of a long paste
}

// agents are the agents that prompts can be sent to, by name. SENDER.md has the measurements.
var agents = map[string]agent{
	"claude":   {interrupt: []string{"\x03"}, shell: true, folds: []string{"[Pasted text #"}},
	"codex":    {interrupt: []string{"\x1b"}, shell: true, folds: []string{"[Pasted Content "}},
	"gemini":   {interrupt: []string{"\x03"}, typed: true, folds: []string{"[Pasted Text: "}},
	"opencode": {interrupt: []string{"\x1b", "\x1b"}, typed: true, folds: []string{"[Pasted ~"}},
	"qwen":     {interrupt: []string{"\x1b"}, typed: true, folds: []string{"[Pasted Content ", "[Pasted Text: "}},
}
