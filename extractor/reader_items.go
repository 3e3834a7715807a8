package extractor

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/session"
)

// parse reads the items off an agent's lines. headless: the first rows of the item on the first
// line were never on the screen.
func (r *Reader) parse(lines []row.Line, headless bool) []chat.Item {
	items := r.seg.agent.Parse(lines, true)
	for i := range items {
		items[i].Headless = items[i].Headless || headless && i == 0 && items[i].First == 0
		items[i].Agent = r.seg.agent.Name
		truncate(&items[i], lines)
		if i > 0 && items[i].Headless && items[i].Role == session.RoleAssistant && items[i-1].Role == session.RoleAssistant {
			items[i-1].Truncate(session.TruncatedTail) // rows are lost between the two
		}
	}
	return items
}

// truncate notes which of the item's lines are missing among those that it was read off.
func truncate(it *chat.Item, lines []row.Line) {
	if it.Event != "" {
		return
	}
	own := lines[it.First:it.End]
	if it.Headless {
		it.Truncate(session.TruncatedHead)
	}
	n := document.LeftOut(own)
	folded := false
	if it.Role == session.RoleUser {
		var more int
		more, folded = foldedPaste(it.Text)
		n += more
	}
	if n > 0 || folded {
		it.OmittedLines = n
		it.Truncate(session.TruncatedMiddle)
	}
	if len(own) > 1 && lost(own[1:]) {
		it.Truncate(session.TruncatedMiddle)
	}
	if next := row.SkipBlank(lines, it.End); next < len(lines) && lost(lines[it.End:next+1]) {
		it.Truncate(session.TruncatedTail)
	}
	if it.Tool != nil && it.Truncated {
		it.Tool.Truncated = true
	}
}

// lost reports whether rows above one of lines were never on the screen.
func lost(lines []row.Line) bool {
	return slices.ContainsFunc(lines, func(l row.Line) bool { return l.Lost })
}

// pasteNote is what agents show of a long text that the user pasted: `[Pasted text #1 +39 lines]`,
// `[Pasted Text: 14 lines]`, `[Pasted Content 4096 chars]`.
var pasteNote = regexp.MustCompile(`\[Pasted (?:text #\d+ \+(\d+) lines|Text: (\d+) lines[^\]]*|Content \d+ chars[^\]]*)\]`)

// foldedPaste reports whether a prompt holds such notes, and how many lines they represent.
func foldedPaste(text string) (lines int, ok bool) {
	if !strings.Contains(text, "[Pasted ") {
		return 0, false
	}
	for _, m := range pasteNote.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1] + m[2]) // one of the two, or none
		lines, ok = lines+n, true
	}
	return lines, ok
}

func shift(items []chat.Item, by int) []chat.Item {
	for i := range items {
		items[i].First += by
		items[i].End += by
	}
	return items
}
