package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/ptyrec/ptyrec/extractor/transcript"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// report is the result of traceEntry or traceScreen.
type report interface {
	// WriteText writes the report for people.
	WriteText(w io.Writer) error
	// WriteJSON writes the report for programs.
	WriteJSON(w io.Writer) error
}

// WriteJSON implements Report.
func (h *entryHistory) WriteJSON(w io.Writer) error { return printable.WriteJSON(w, h) }

// WriteJSON implements Report.
func (v *screenView) WriteJSON(w io.Writer) error { return printable.WriteJSON(w, v) }

// clip is the maximum length of a text, in characters.
const clip = 60

// WriteText implements Report: one line for each change.
func (h *entryHistory) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d %s: %s\n", h.Seq, name(h.Role+h.Event, h.Agent, ""), printable.Clip(h.Text, clip))
	for _, c := range h.Changes {
		fmt.Fprintf(&b, "%9.3fs  frame %-5d %-8s", c.At, c.Frame, c.Change)
		for _, part := range c.parts() {
			b.WriteString("  " + part)
		}
		b.WriteByte('\n')
	}
	if h.Sent {
		b.WriteString("The text is that of `ptyrec prompt`; the screen matches it.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// parts returns the parts of a line about a change.
func (c entryChange) parts() (out []string) {
	if c.Rule != "" {
		switch {
		case c.Rows == nil:
			out = append(out, "scrolled out")
		case c.Above > 0:
			out = append(out, fmt.Sprintf("rows %s and %d above", c.Rows, c.Above))
		default:
			out = append(out, "rows "+c.Rows.String())
		}
		out = append(out, name("", c.Agent, c.Version)+serves(c.Serves), fmt.Sprintf("rule %q", c.Rule))
		if c.Layout != "" {
			out = append(out, "layout: "+c.Layout)
		}
		if c.Lines != nil {
			out = append(out, fmt.Sprintf("lines %s of document %d", c.Lines, c.Document))
		}
		out = append(out, "placed: "+string(c.Placed))
	}
	switch c.Change {
	case transcript.ChangeGrew:
		out = append(out, "+ "+quote(strings.TrimPrefix(c.Text, c.Was)))
	case transcript.ChangeText, transcript.ChangeRepaired:
		was, now := differing(c.Was, c.Text)
		out = append(out, quote(was)+" -> "+quote(now))
	case transcript.ChangeIgnored:
		out = append(out, "the screen shows "+quote(c.Was))
	case transcript.ChangeNew:
		if c.Text != "" {
			out = append(out, quote(c.Text))
		}
	}
	if len(c.Fields) > 0 {
		out = append(out, "changed: "+strings.Join(c.Fields, ", "))
	}
	return out
}

// differing returns two texts without their common beginning, except its last characters.
func differing(a, b string) (string, string) {
	ra, rb := []rune(a), []rune(b)
	n := 0
	for n < min(len(ra), len(rb)) && ra[n] == rb[n] {
		n++
	}
	n = max(0, n-10)
	return string(ra[n:]), string(rb[n:])
}

func quote(text string) string { return fmt.Sprintf("%q", printable.Clip(text, clip)) }

// name returns a short description such as "user, claude 2.1.197".
func name(what, agent, version string) string {
	if agent == "" {
		agent = "shell"
	}
	who := printable.Line(strings.TrimSpace(agent + " " + version))
	switch what {
	case "":
		return who
	case "shell":
		return what
	}
	return what + ", " + who
}

// serves returns the text for the versions of a look.
func serves(versions string) string {
	if versions == "" {
		return ""
	}
	return " (look " + versions + ")"
}

// WriteText implements Report: one line for each row.
func (v *screenView) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "frame %d at %.3fs: %s, document %d", v.Frame, v.At, name("", v.Agent, v.Version)+serves(v.Serves),
		v.Document)
	if v.Alt {
		b.WriteString(", alternate screen")
	}
	if v.State != "" {
		b.WriteString(", " + v.State)
	}
	b.WriteByte('\n')
	if v.Skipped != "" {
		fmt.Fprintf(&b, "not read: %s\n", v.Skipped)
	} else {
		fmt.Fprintf(&b, "placed: %s\n", v.Placed)
		if v.Layout != "" {
			fmt.Fprintf(&b, "layout: %s\n", v.Layout)
		}
	}
	for _, r := range v.Rows {
		line, seq := "", ""
		if r.Line > 0 {
			line = fmt.Sprint(r.Line)
		}
		if r.Seq > 0 {
			seq = fmt.Sprintf("#%d", r.Seq)
		}
		fmt.Fprintf(&b, "%4d %6s %6s %-10s %-24s |%s\n", r.Row, line, seq, r.Kind, r.Rule, printable.Text(r.Text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
