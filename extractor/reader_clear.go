package extractor

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/document"
	"github.com/ptyrec/ptyrec/session"
)

// judgeWipe decides, once the screen is quiet again, what a wipe was: the agent printed its
// conversation again, or the conversation was cleared.
func (r *Reader) judgeWipe() {
	s := &r.seg
	before := s.before
	s.wiped, s.before = false, nil
	if len(before) == 0 {
		return
	}
	for _, it := range s.items {
		if it.Event == session.EventClear || it.Role == session.RoleCommand && strings.HasPrefix(it.Text, "/compact") {
			return // compacted: it goes on, shortened
		}
		if it.Role == session.RoleUser && slices.Contains(before, it.Text) {
			return
		}
	}
	r.clear()
}

// clear ends the conversation: what is on the document is a new one.
func (r *Reader) clear() {
	r.emit(session.EventClear, r.seg.agent.Name, nil)
	r.seg.reprint, r.seg.wiped, r.seg.before = false, false, nil
}

// clears reports whether a command that cleared the conversation is above the segment's first
// item.
func (r *Reader) clears(d *document.Document) bool {
	s := &r.seg
	if s.agent.Clears == nil || s.past > 0 {
		return false
	}
	end := len(d.Lines)
	if len(s.items) > 0 {
		end = min(end, s.items[0].First+1)
	}
	return slices.ContainsFunc(d.Lines[min(s.start, end):end], s.agent.Clears)
}

// users returns the texts of the user's messages in the segment, each once: an agent may wipe often
// before all is quiet.
func (s *segment) users() []string {
	texts := s.before
	for _, it := range s.items {
		if it.Role == session.RoleUser && !slices.Contains(texts, it.Text) {
			texts = append(texts, it.Text)
		}
	}
	return texts
}
