package gemini

import (
	"strings"

	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/inkcli"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// chrome is what is below the conversation: spinner, hints, mode and queue above the composer, or
// an approval.
var chrome = inkcli.Chrome{Composer: composer, Status: status, Dialog: dialog}

// split divides the screen. On the alternate screen, a scroll bar is at the right.
func split(s chat.Screen) chat.Split {
	sp := chrome.Split(s.Lines)
	if s.Alt && sp.OK {
		sp.Right = s.Lines[0].Cols - 1
	}
	return sp
}

// composer finds the first row of the composer: its bar, which may have been drawn for a wider
// window, or the rule above, which nothing of the conversation is below.
func composer(lines []row.Line) (top int, ok bool) {
	top, ok = inkcli.ComposerAt(lines)
	top = max(0, row.Last(lines[:min(top+1, len(lines))], row.Not(row.IsWrapped)))
	above := lines[max(0, top-4):top]
	return top - len(above) + row.Run(above, row.Not(row.IsRuled)), ok
}

// status reports whether a row right above the composer is chrome: blank, a spinner, a hint, the
// mode or a prompt in the queue, which is dim. Hints are at the beginning, but for a spinner's, and
// what is at the right until a window that shrinks wraps its row.
var status = inkcli.Hints(
	lazy.Regexp(`^($| \S|[⠁-⣿]|Using: |Press |shell mode enabled|raw markdown mode|YOLO|accepting `+
		`edits|auto-accept|\|⌐■_■\||Shift\+Tab|`+
		`\d+ (GEMINI.md file|open file|MCP server|skill|context file)| *────────)`),
	lazy.Regexp(`\(esc to cancel|\? for shortcuts$|\((ctrl|shift) ?\+ ?\w+ to \w+\)$`),
	lazy.Regexp(`^\S|^ *---$`))

// chosen is the choice in a dialog.
var chosen = lazy.Regexp(`^│ +● `)

// dialog finds an approval at the bottom of the screen: a box with a choice in it. The call is
// shown only there until the user answers, so it belongs to the conversation. For a menu of the
// CLI's own, in a box within the box, the conversation ends above it.
func dialog(lines []row.Line) chat.Split {
	end := row.LastAbove(lines, row.Prefixed("╰──"), row.Prefixed("✦ "))
	if end < 0 {
		return chat.Split{}
	}
	in := lines[1+row.Last(lines[:end], row.Not(row.Prefixed("│ "))) : end]
	choice := row.Last(in, row.Matching(chosen))
	asks := row.Last(in[:max(choice, 0)], row.Prefixed("│ ? ", "│ ╭──"))
	switch {
	case asks < 0:
		return chat.Split{}
	case strings.HasPrefix(in[asks].Text, "│ ? "):
		return chat.Split{OK: true, Bottom: end + 1, State: chat.StateAsking}
	}
	return chat.Split{OK: true, Bottom: end - len(in) + asks, State: chat.StateAsking}
}
