package find

import (
	"fmt"
	"io"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/usage"
	"github.com/ptyrec/ptyrec/internal/human/printable"
)

const topRows = 10

// writeUsage writes a report for people, in width columns; 0 means no limit. It writes nothing if
// there is no usage.
func writeUsage(w io.Writer, r *usage.Report, st cli.Style, width int) error {
	if r.Total.Total == 0 && r.Total.Cost == 0 {
		return nil
	}
	t := &r.Total
	fmt.Fprintf(w, "\n%s: %s input, %s cached, %s output\n", t.Text(), usage.Tokens(t.Input),
		usage.Tokens(t.CacheRead+t.CacheWrite), usage.Tokens(t.Output))
	from := "from the agents' logs"
	switch {
	case t.FromLogs == 0:
		from = "at least, as printed by the agents"
	case t.FromScreen > 0:
		from = fmt.Sprintf("%s from the agents' logs, at least %s as printed by the agents", usage.Tokens(t.FromLogs),
			usage.Tokens(t.FromScreen))
	}
	fmt.Fprintf(w, "%s; prices of %s\n", from, printable.Line(r.Prices.Date))
	for _, part := range []struct {
		title string
		rows  []usage.Named
	}{{"MODEL", r.Models}, {"FOLDER", r.Folders}} {
		if len(part.rows) == 0 {
			continue
		}
		fmt.Fprintln(w)
		table := &cli.Table{Columns: []cli.Column{{Title: "TOKENS", Right: true}, {Title: "OUTPUT", Right: true},
			{Title: "COST", Right: true}, {Title: part.title, Flex: true}}}
		for _, n := range part.rows[:min(topRows, len(part.rows))] {
			name := printable.Clip(n.Name, 300)
			if name == "" {
				name = "-"
			}
			table.Rows = append(table.Rows, []cli.Cell{{Text: usage.Tokens(n.Total)}, {Text: usage.Tokens(n.Output)},
				{Text: n.Dollars()}, {Text: name, Color: cli.Cyan}})
		}
		if err := table.Write(w, st.Paint, width); err != nil {
			return err
		}
	}
	return nil
}
