package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/session"
)

// Agents that were started together are one tree:
//
//	● 2 background agents launched (↓ to manage)
//	   ├ Count go files
//	   └ Count text files
//
// With their results shown, a branch reads `├─ Count go files · 2 tool uses · 1.2k tokens`, and a
// corner below it says what the agent does or `Done`.

// agents reads such a tree, and returns the line behind it; i if none begins there. Each branch is
// a call.
func (p *parser) agents(i int) int {
	if !strings.Contains(p.Lines[i].Text, " agents") {
		return i
	}
	var calls []chat.Item
	end := i + 1
	for end < len(p.Lines) && strings.HasPrefix(p.Lines[end].Text, "  ") {
		t := strings.TrimLeft(p.Lines[end].Text, " │")
		branch := strings.TrimLeft(t, "├└─")
		switch note, corner := strings.CutPrefix(t, claudeCorner); {
		case branch != t:
			name, _, _ := strings.Cut(branch, " · ")
			calls = append(calls, did(&session.Tool{Name: "Agent", Input: strings.TrimSpace(name), Status: status(p.Lines[i])}))
		case len(calls) == 0:
			return i
		case corner:
			calls[len(calls)-1].Tool.Output = strings.TrimLeft(note, " \u00a0")
		}
		end++
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
	if i+1 == len(p.Lines) {
		return i
	}
	if rest, ok := corner(p.Lines[i+1]); !ok || !strings.HasPrefix(rest, "· ") {
		return i
	}
	out, end, _ := p.result(i+1, i+1)
	var questions, answers []string
	for _, pair := range strings.Split("\n"+out.text, "\n· ")[1:] {
		question, answer, _ := strings.Cut(strings.Join(strings.Fields(pair), " "), " → ")
		questions, answers = append(questions, question), append(answers, answer)
	}
	t := &session.Tool{Name: "AskUserQuestion", Input: strings.Join(questions, "\n"), Output: strings.Join(answers, "\n"), Status: session.ToolOK}
	p.Add(did(t), i, end, "questions")
	return end
}
