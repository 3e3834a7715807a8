package extractor_test

import (
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/vterm"
)

// TestInputBox: what was typed into an agent's input box is told from the hints that an empty one
// shows.
func TestInputBox(t *testing.T) {
	rule, bar := strings.Repeat("─", 60), strings.Repeat("▄", 60)
	codex := func(box string) string {
		return "• An answer.\r\n\r\n\x1b[1m›\x1b[m " + box + "\r\n\r\n  gpt-5.1-codex · ~/shop\r\n  ? for shortcuts"
	}
	claude := func(box string) string {
		return "● An answer.\r\n\r\n" + rule + "\r\n❯\u00a0" + box + "\r\n" + rule + "\r\n  ? for shortcuts"
	}
	gemini := func(box string) string {
		const ground = "\x1b[48;2;95;95;95m"
		return "✦ An answer.\r\n\r\n" + bar + "\r\n" + ground + " \x1b[38;2;255;135;175m* \x1b[m" + ground + box +
			strings.Repeat(" ", 20) + "\x1b[m\r\n" + strings.Repeat("▀", 60) + "\r\n ~/shop"
	}
	copilot := func(box string) string {
		return " ● An answer.\r\n\r\n ~/shop\r\n" + rule + "\r\n❯ " + box + "\r\n" + rule + "\r\n / commands"
	}
	opencode := func(box string) string {
		row := func(text string) string {
			return "  \x1b[38;2;92;156;245m┃\x1b[48;2;30;30;30;38;2;238;238;238m" + text + "\x1b[K\x1b[m\r\n"
		}
		return "     An answer.\r\n\r\n" + row("") + row("  "+box) + row("") + row("  Build · Mock") + "  ╹" +
			strings.Repeat("▀", 50) + "\r\n   ~/shop"
	}
	for _, tt := range []struct{ agent, screen, want string }{
		{"codex", codex("\x1b[2mAsk Codex to do anything"), ""},
		{"codex", codex("Why?\r\n\r\n  Because"), "Why?\n\nBecause"},
		{"codex", codex("[Pasted Content 3992 chars]"), "[Pasted Content 3992 chars]"},
		{"claude", claude("\x1b[7mT\x1b[27;2mry \"fix it\"\x1b[m"), ""}, {"claude", claude("\x1b[7m \x1b[m"), ""},
		{"claude", claude("one\r\n  two"), "one\ntwo"},
		{"gemini", gemini("\x1b[7m \x1b[27;38;2;175;175;175m Type your message or @path/to/file"), ""},
		{"gemini", gemini("Why?\x1b[7m \x1b[27m"), "Why?"},
		{"copilot", copilot(""), ""}, {"copilot", copilot("one\r\n  two"), "one\ntwo"},
		{"opencode", strings.Replace(opencode("/new"), "\r\n\r\n",
			"\r\n  ┃\x1b[48;2;30;30;30m /diff   Open diff viewer\x1b[m ┃\r\n", 1), "/new"}, {"opencode", opencode(""), ""},
		{"opencode", opencode("\x1b[38;2;128;128;128mAsk anything"), ""},
		{"opencode", opencode("\x1b[38;2;10;10;10;48;2;245;167;66m[Pasted ~40 lines]\x1b[48;2;30;30;30m "),
			"[Pasted ~40 lines]"},
	} {
		term := vterm.New(vterm.Options{Cols: 60, Rows: 9})
		_, _ = term.Write([]byte(tt.screen))
		got := extractor.Look(term.Snapshot(), tt.agent)
		if !got.Boxed || got.Box != tt.want {
			t.Errorf("%s: box %v %q, want %q in\n%s", tt.agent, got.Boxed, got.Box, tt.want, tt.screen)
		}
	}
}
