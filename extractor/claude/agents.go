package claude

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/session"
)

// branch matches a row of the tree that agents are shown as which were started together; below it
// is what the agent does, or its result:
//
//	● 2 background agents launched (↓ to manage)
//	   ├ Count go files
//	   └ Count text files · 2 tool uses · 1.2k tokens
//	     ⎿  Done
var (
	branch     = lazy.Regexp(`^[ │]*[├└]─* *(.+?)(?: · .*)?$`)
	outcomeRow = lazy.Regexp(`^[ │]*⎿[ \x{a0}]*(.*)$`)
)

// agents is the mark of such a tree.
var agents = chat.Mark{Row: row.Matching(lazy.Regexp(`^[●⏺][ \x{a0}].* agents`))}

// treeRows returns the number of rows of such a tree.
func treeRows(lines []row.Line) int { return 1 + row.Run(lines[1:], row.Prefixed("  ")) }

// tree parses such a tree: each branch becomes a call.
func tree(p *chat.Parser, i, end int) {
	var calls []chat.Item
	for _, l := range p.Lines[i+1 : end] {
		if m := branch().FindStringSubmatch(l.Text); m != nil {
			calls = append(calls, did(&session.Tool{Name: "Agent", Input: m[1], Status: status(p.Lines[i])}))
		} else if m := outcomeRow().FindStringSubmatch(l.Text); m != nil {
			calls[len(calls)-1].Tool.Output = m[1]
		}
	}
	p.Together(calls, i, end, "agents")
}

// answer matches what the user answered to the first of the agent's questions:
//
//	● User answered Claude's questions:
//	  ⎿  · Which store should hold the cache? → Memory
var answer = lazy.Regexp(`^ {0,3}⎿[ \x{a0}]*· `)

// answers parses such an answer.
func answers(lines []row.Line, _ []chat.Item) (chat.Item, bool) {
	var questions, answers []string
	for _, pair := range strings.Split("\n"+resultOf(lines[1:]).text, "\n· ")[1:] {
		question, answer, _ := strings.Cut(strings.Join(strings.Fields(pair), " "), " → ")
		questions, answers = append(questions, question), append(answers, answer)
	}
	return did(&session.Tool{Name: "AskUserQuestion", Input: strings.Join(questions, "\n"),
		Output: strings.Join(answers, "\n"), Status: session.ToolOK}), true
}
