package extractor

import (
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/vterm"
)

// claude is Claude Code (Ink on the main screen up to 2.1.2xx, an alternate screen of its own
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
var claudeAgent = &Agent{
	Name: "claude", Title: "Claude Code", Usage: claudeUsage,
	Resume: resumption("claude", []string{"--resume", ResumeID}, uuidPattern, `claude --resume `, "--resume", "-r", "--session-id"),
	Looks: []agentLook{{
		Versions: "1.0-",
		Begins:   claudeBegins, Banner: claudeBanner, Clears: claudeClears, Split: claudeSplit, Parse: claudeParse, Box: claudeInputBox,
	}},
}

// claudeMarkers begin a reply or a tool call.
const (
	claudeDot    = "●"
	claudeRecord = "⏺"
	claudeCorner = "⎿"
)

// claudeSpinners are the glyphs that the line of a running turn cycles through.
const claudeSpinners = "·✢*✶✻✽✳∗"

// ccCutGlyph cuts one of the glyphs and the blanks behind it off the start of s.
func ccCutGlyph(s string, glyphs ...string) (rest string, ok bool) {
	for _, g := range glyphs {
		if rest, ok := strings.CutPrefix(s, g); ok && (rest == "" || rest[0] == ' ' || strings.HasPrefix(rest, "\u00a0")) {
			return strings.TrimLeft(rest, " \u00a0"), true
		}
	}
	return s, false
}

// ccIndentOf counts the blanks at a row's start; a blank row has none.
func ccIndentOf(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// ccCorner cuts `⎿` at column 2 or 3 and the blanks behind it off a row.
func ccCorner(l Line) (rest string, ok bool) {
	n := ccIndentOf(l.Text)
	if l.Wrapped || n < 2 || n > 3 {
		return "", false
	}
	rest, ok = strings.CutPrefix(l.Text[n:], claudeCorner)
	return strings.TrimLeft(rest, " \u00a0"), ok
}

// ccRgb returns a colour's parts where it has them; the 256-colour palette's cube and greys count.
func ccRgb(c vterm.Color) (r, g, b int, ok bool) {
	if c.Kind == vterm.ColorPalette && c.Palette >= 16 {
		if c.Palette >= 232 {
			v := 8 + 10*(int(c.Palette)-232)
			return v, v, v, true
		}
		n := int(c.Palette) - 16
		step := [...]int{0, 95, 135, 175, 215, 255}
		return step[n/36], step[n/6%6], step[n%6], true
	}
	return int(c.R), int(c.G), int(c.B), c.Kind == vterm.ColorRGB
}

// ccGrey reports whether text is subdued: dim, or in the themes' grey.
func ccGrey(s vterm.Style) bool {
	if s.Dim {
		return true
	}
	if s.Fg.Kind == vterm.ColorPalette && s.Fg.Palette < 16 {
		return s.Fg.Palette == 8 || s.Fg.Palette == 7
	}
	r, g, b, ok := ccRgb(s.Fg)
	return ok && max(r, g, b)-min(r, g, b) < 24 && r > 0x30 && r < 0xd8
}

// ccPlainInk reports whether text is in the colour of ordinary text: the default, black or white.
func ccPlainInk(c vterm.Color) bool {
	if c.Kind == vterm.ColorPalette && c.Palette < 16 {
		return c.Palette == 0 || c.Palette == 7 || c.Palette == 15
	}
	r, g, b, ok := ccRgb(c)
	return !ok || max(r, g, b)-min(r, g, b) < 16 && (r >= 0xd8 || r <= 0x30)
}

// ccReddish and greenish tell a marker that says how a call ended.
func ccReddish(c vterm.Color) bool {
	if c.Kind == vterm.ColorPalette && c.Palette < 16 {
		return c.Palette == 1 || c.Palette == 9
	}
	r, g, b, ok := ccRgb(c)
	return ok && r > g+40 && r > b+40
}

// ccWholeRule reports whether a row is a rule from column 0 over (almost) the whole width, perhaps
// with a label in it.
func ccWholeRule(l Line) bool {
	if !strings.HasPrefix(l.Text, "───") {
		return false
	}
	n := strings.Count(l.Text, "─")
	return n*10 >= l.Cols*6 || n >= 3 && n == utf8.RuneCountInString(l.Text) && n >= l.Cols-2
}

// ccBoxTop reports whether a row is the top of a box over the whole width, without a word in it.
func ccBoxTop(l Line) bool {
	return strings.HasPrefix(l.Text, "╭──") && strings.HasSuffix(l.Text, "╮") && strings.Count(l.Text, "─") >= l.Cols-4
}

// ccInputRow reports whether a row can be the first of the live input between its rules or in its
// box.
func ccInputRow(l Line) bool {
	if rest, ok := strings.CutPrefix(l.Text, "│"); ok {
		_, ok = ccCutGlyph(strings.TrimLeft(rest, " \u00a0"), ">", "❯", "!", "#")
		return ok
	}
	_, ok := ccCutGlyph(l.Text, ">", "❯", "!", "#")
	return ok && l.styleAt(0).Bg.Kind == vterm.ColorDefault
}

// ccAllText reports whether ok holds for every run of a row that is not blank.
func ccAllText(r *vterm.Row, ok func(vterm.Style) bool) bool {
	for i := range r.Runs {
		if strings.Trim(r.Runs[i].Text, " ") != "" && !ok(r.Runs[i].Style) {
			return false
		}
	}
	return r.Text != ""
}

// ccGreyOrRed reports whether text is grey, or red: "1 failed" in a grey line.
func ccGreyOrRed(s vterm.Style) bool { return ccGrey(s) || ccReddish(s.Fg) }
