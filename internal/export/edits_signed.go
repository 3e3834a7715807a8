package export

import "strings"

// margins returns the number of spaces before and after the sign. They depend on the agent.
func (r *editReader) margins() (before, after int) {
	before = -1
	for _, l := range r.shown {
		trimmed := strings.TrimLeft(l.rest, " ")
		if gap := len(l.rest) - len(trimmed); trimmed != "" && (trimmed[0] == '+' || trimmed[0] == '-') &&
			(before < 0 || gap < before) {
			before = gap
		}
	}
	switch r.agent {
	case "gemini", "qwen", "opencode":
		after = 1
	case "claude":
		if strings.HasPrefix(r.head, "Updated ") { // before version 2
			after = 2
		}
	}
	return before, after
}

// signed parses lines with signs. A removed line has its old number, all others have their new
// number.
func (r *editReader) signed() {
	before, after := r.margins()
	if before < 0 {
		r.edit.Partial = "no change was shown"
		return
	}
	for _, l := range r.shown {
		sign, text, ok := parts(l.rest, before, after)
		if !ok && r.edit.Partial == "" {
			r.edit.Partial = "lines were wrapped or cut"
		}
		r.add(l, sign, text)
	}
	r.close()
}

// parts splits the text after a line number into sign and text.
func parts(rest string, before, after int) (sign byte, text string, ok bool) {
	if strings.TrimSpace(rest) == "" {
		return ' ', "", true
	}
	if len(rest) <= before || strings.TrimLeft(rest[:before], " ") != "" {
		return ' ', strings.TrimLeft(rest, " "), false
	}
	sign, text = rest[before], rest[before+1:]
	if sign != '+' && sign != '-' && sign != ' ' {
		return ' ', strings.TrimLeft(rest, " "), false
	}
	for range after {
		if text == "" {
			break
		}
		if text[0] != ' ' {
			return sign, text, false
		}
		text = text[1:]
	}
	return sign, text, true
}

// add adds a line to the current hunk, or to a new hunk if it does not continue it.
func (r *editReader) add(l editLine, sign byte, text string) {
	h := r.last()
	expected := r.new
	if sign == '-' {
		expected = r.old
	}
	if h != nil && !l.apart && sign == '-' && l.number != expected && r.onlyNew(h) {
		// The first removed line shows where the hunk was in the old file.
		r.offset = r.new - l.number
		h.OldStart = h.NewStart - r.offset
		r.old, expected = l.number, l.number
	}
	if h == nil || l.apart || l.number != expected {
		if h != nil && l.number < expected && r.edit.Partial == "" {
			r.edit.Partial = "its line numbers do not add up"
		}
		r.close()
		r.begin(l, sign)
		h = r.last()
	}
	h.Lines = append(h.Lines, string(sign)+text)
	if sign != '+' {
		h.OldLines++
		r.old++
	}
	if sign != '-' {
		h.NewLines++
		r.new++
	}
}

// onlyNew reports whether the hunk has no removed line yet, so that its place in the old file is
// unknown.
func (r *editReader) onlyNew(h *Hunk) bool { return countSigned([]Hunk{*h}, '-') == 0 }

// begin starts a hunk with a line.
func (r *editReader) begin(l editLine, sign byte) {
	if sign == '-' {
		r.old, r.new = l.number, l.number+r.offset
	} else {
		r.old, r.new = l.number-r.offset, l.number
	}
	r.edit.Hunks = append(r.edit.Hunks, Hunk{OldStart: r.old, NewStart: r.new})
	r.started = true
}

func (r *editReader) last() *Hunk {
	if !r.started {
		return nil
	}
	return &r.edit.Hunks[len(r.edit.Hunks)-1]
}

// close ends the current hunk and updates the offset for the following ones. If the hunk is not
// where the offset of the earlier hunks puts it, some hunks were not shown.
func (r *editReader) close() {
	if !r.started {
		return
	}
	h := r.last()
	want := 0
	for _, earlier := range r.edit.Hunks[:len(r.edit.Hunks)-1] {
		want += earlier.NewLines - earlier.OldLines
	}
	if h.NewStart-h.OldStart != want && r.edit.Partial == "" {
		r.edit.Partial = "hunks before it were not shown"
	}
	if h.OldStart < 1 && h.OldLines > 0 && r.edit.Partial == "" {
		r.edit.Partial = "its line numbers do not add up"
	}
	r.offset = h.NewStart - h.OldStart + h.NewLines - h.OldLines
	if h.OldLines == 0 && h.OldStart <= 1 && h.NewStart == 1 && len(r.edit.Hunks) == 1 && r.writes {
		r.edit.Created = true
	}
	r.started = false
}
