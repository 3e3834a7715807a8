package find

import (
	"io"
	"iter"
	"strings"

	"github.com/ptyrec/ptyrec/internal/archive"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// writeConversation writes the part of a session that ref selects: a head, and the entries in
// order. The first entry is shown completely, including tool output. Titles, entries and names must
// be safe to be read by their user.
func writeConversation(w io.Writer, r *render.Terminal, s session.Session, entries iter.Seq2[*session.Entry, error],
	info *store.Info, ref archive.Ref) error {
	if ref.Whole() {
		s.Title = listing.Title(info)
	}
	if _, err := io.WriteString(w, r.Head(&s, labels(info)...)); err != nil {
		return err
	}
	for e, err := range entries {
		if err != nil {
			return err
		}
		wanted := *r
		if e.Seq == ref.First {
			wanted.Tools, wanted.Thinking, wanted.Events = true, true, true
		}
		if _, err := io.WriteString(w, wanted.Entry(e)); err != nil {
			return err
		}
	}
	return nil
}

// labels returns facts about a session that are not in its description. They include a status only
// if it is unusual.
func labels(info *store.Info) (out [][2]string) {
	if len(info.Tags) > 0 {
		out = append(out, [2]string{"Tags", strings.Join(info.Tags, ", ")})
	}
	if info.Space != "" {
		out = append(out, [2]string{"Owner", info.Owner + ", in " + info.Space})
	} else if info.Owner != "" {
		out = append(out, [2]string{"Owner", info.Owner})
	}
	if info.Note != "" {
		out = append(out, [2]string{"Note", info.Note})
	}
	if text := listing.Git(info.Git); text != "" {
		out = append(out, [2]string{"Git", text})
	}
	if info.Continues != "" {
		out = append(out, [2]string{"Resumes", "session " + info.Continues})
	}
	for _, id := range info.ContinuedBy {
		out = append(out, [2]string{"Resumed", "by session " + id})
	}
	if info.Status != store.Ended {
		out = append(out, [2]string{"Status", info.Status})
	}
	return out
}
