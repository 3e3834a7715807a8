// Package claude reads Claude Code.
package claude

import (
	"github.com/ptyrec/ptyrec/extractor/chat"
	"github.com/ptyrec/ptyrec/extractor/row"
	"github.com/ptyrec/ptyrec/vterm"
)

// inputBox: "❯ text" between two rules, "│ > text │" in a box before 2.0.
func inputBox(lines []row.Line) (chat.Box, bool) {
	top, asks := claudeInput(lines, false)
	if top < 0 || asks {
		return chat.Box{}, false
	}
	return chat.BoxOf(lines[top+1:], 2, frame), true
}

// Agent returns Claude Code (Ink on the main screen up to 2.1.2xx, an alternate screen of its own
// later).
//
// Every message begins at column 0 with a glyph and goes on from column 2: `> ` or `❯ ` a prompt,
// `●` (`⏺` on macOS) a reply or a tool call, `✻`/`∴` thinking; `⎿` at column 2 is what belongs to
// the message above. A rule (or a box, up to 1.0) over the whole width at column 0 is chrome.
// Looks:
//
//	1.0            boxed input, `>` prompts dim or grey, thinking as `✻ Thinking…`
//	2.0            rules around the input, `>` prompts on a background, text wrapped by the
//	               terminal in late 2.0
//	2.1            `❯` prompts on a background, `✻ Baked for 1s` below a turn, calls collapse
//	               into one grey line
//	2.1.3xx        the alternate screen: menus above the input, a pill on the last row where the
//	               user scrolled back
//	screen readers labels in place of glyphs, no styles: see spoken
func Agent() *chat.Agent {
	return &chat.Agent{
		Name: "claude", Widths: vterm.Points, Title: "Claude Code", Usage: usage,
		Resume: chat.ResumedBy("claude", []string{"--resume", chat.ResumeID}, chat.UUID, `claude --resume `, "--resume",
			"-r", "--session-id"),
		Send: &chat.Sending{Interrupt: []string{"\x03"}, Shell: true, Completes: true, Denies: true,
			Folds: []string{"[Pasted text #"}},
		Looks: []chat.Look{spoken(), mono(), {
			Versions: "1.0-2.0",
			Begins:   oldBanner.Begins, Banner: oldBanner.Banner, Clears: oldTalk.clears, Split: split,
			Parse: oldTalk.cells.Parse, Box: inputBox,
		}, {
			Versions: "2.1-",
			Begins:   welcome.Begins, Banner: welcome.Banner, Clears: newTalk.clears, Split: split, Parse: newTalk.cells.Parse,
			Box: inputBox,
		}},
	}
}

// newTalk is what is drawn since 2.1: `❯` before prompts, which have a background. A Linux console,
// which has few glyphs, shows `>`.
var newTalk = (&talk{sent: chat.Mark{Signs: glyphs("❯>"), Ink: row.Highlighted}, goesOn: goesOn, rest: painted,
	text: promptText, style: style}).begin()

// goesOn reports whether a row continues a prompt: it has the background, and no sign.
func goesOn(_ []row.Line, l row.Line) bool {
	return row.HasBackground(l) && !row.Starts(l.Text, "❯", ">")
}

// spinners are the glyphs that the line of a running turn cycles through.
const spinners = "·✢*✶✻✽✳∗"
