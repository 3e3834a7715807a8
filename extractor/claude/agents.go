package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// branch matches a row of the tree that agents are shown as which were started together, and a row
// below one, with what the agent does or its result:
//
//	● 2 background agents launched (↓ to manage)
//	   ├ Count go files
//	   └ Count text files · 2 tool uses · 1.2k tokens
//	     ⎿  Done
var branch = lazy.Regexp(`^[ │]*(?:[├└]─* *(.*?)(?: · .*)?|⎿[ \x{a0}]*(.*))$`)

// agents reads such a tree, and returns the line behind it; i if none begins there. Each branch is
// a call.
func (p *parser) agents(i int) int {
	if !strings.Contains(p.Lines[i].Text, " agents") {
		return i
	}
	end := i + 1 + row.Run(p.Lines[i+1:], row.Prefixed("  "))
	var calls []chat.Item
	for _, l := range p.Lines[i+1 : end] {
		switch m := branch().FindStringSubmatch(l.Text); {
		case m != nil && m[1] != "":
			calls = append(calls, did(&session.Tool{Name: "Agent", Input: m[1], Status: status(p.Lines[i])}))
		case len(calls) == 0:
			return i
		case m != nil:
			calls[len(calls)-1].Tool.Output = m[2]
		}
	}
	if len(calls) == 0 {
		return i
	}
	p.Together(calls, i, end, "agents")
	return end
}

// answered reads what the user answered to the agent's questions, and returns the line behind it; i
// if it does not begin there:
//
//	● User answered Claude's questions:
//	  ⎿  · Which store should hold the cache? → Memory
func (p *parser) answered(i int) int {
	out, end := p.result(i + 1)
	if !strings.HasPrefix(out.text, "· ") {
		return i
	}
	var questions, answers []string
	for _, pair := range strings.Split("\n"+out.text, "\n· ")[1:] {
		question, answer, _ := strings.Cut(strings.Join(strings.Fields(pair), " "), " → ")
		questions, answers = append(questions, question), append(answers, answer)
	}
	t := &session.Tool{Name: "AskUserQuestion", Input: strings.Join(questions, "\n"), Output: strings.Join(answers, "\n"), Status: session.ToolOK}
	p.Add(did(t), i, end, "questions")
	return end
}
