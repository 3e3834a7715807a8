package usage

import (
	"fmt"
	"io"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// Tokens writes a number of tokens for people: 999, 12.3k, 4.5M.
func Tokens(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1fG", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// Dollars writes a cost for people. It is empty if nothing has a price, and at least so much if a
// part has none.
func (s *Sum) Dollars() string {
	switch {
	case s.Cost == 0 && s.Unpriced > 0:
		return ""
	case s.Cost > 0 && s.Cost < 0.01:
		return fmt.Sprintf("%s$%.4f", s.least(), s.Cost)
	}
	return fmt.Sprintf("%s$%.2f", s.least(), s.Cost)
}

// least marks a lower bound.
func (s *Sum) least() string {
	if s.Unpriced > 0 || s.FromScreen > 0 {
		return "≥ "
	}
	return ""
}

// Text writes a sum in one line: 12.3k tokens, $0.42.
func (s *Sum) Text() string {
	text := Tokens(s.Total) + " tokens"
	if s.FromScreen > 0 {
		text = "≥ " + text
	}
	if dollars := s.Dollars(); dollars != "" {
		text += ", " + dollars
	}
	return text
}

const topRows = 10

// Write writes a report for people, in width columns; 0 means no limit. It writes nothing if
// nothing was used.
func (r *Report) Write(w io.Writer, st cli.Style, width int) error {
	if r.Total.Total == 0 && r.Total.Cost == 0 {
		return nil
	}
	t := &r.Total
	fmt.Fprintf(w, "\n%s: %s input, %s cached, %s output\n", t.Text(), Tokens(t.Input), Tokens(t.CacheRead+t.CacheWrite), Tokens(t.Output))
	from := "from the agents' logs"
	switch {
	case t.FromLogs == 0:
		from = "at least, as the agents printed it"
	case t.FromScreen > 0:
		from = fmt.Sprintf("%s from the agents' logs, at least %s as they printed it", Tokens(t.FromLogs), Tokens(t.FromScreen))
	}
	fmt.Fprintf(w, "%s; prices of %s\n", from, printable.Line(r.Prices.Date))
	for _, part := range []struct {
		title string
		rows  []Named
	}{{"MODEL", r.Models}, {"FOLDER", r.Folders}} {
		if len(part.rows) == 0 {
			continue
		}
		fmt.Fprintln(w)
		table := &cli.Table{Columns: []cli.Column{{Title: "TOKENS", Right: true}, {Title: "OUTPUT", Right: true}, {Title: "COST", Right: true}, {Title: part.title, Flex: true}}}
		for _, n := range part.rows[:min(topRows, len(part.rows))] {
			name := printable.Clip(n.Name, 300)
			if name == "" {
				name = "-"
			}
			table.Rows = append(table.Rows, []cli.Cell{{Text: Tokens(n.Total)}, {Text: Tokens(n.Output)}, {Text: n.Dollars()}, {Text: name, Color: cli.Cyan}})
		}
		if err := table.Write(w, st.Paint, width); err != nil {
			return err
		}
	}
	return nil
}
