package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/cmd/root"
)

// TestHelpFitsTheTerminal prints the help of every command: each line fits 80 columns, and the
// flags of every command are on the page of the topic only. The page of the program fits 24 rows.
func TestHelpFitsTheTerminal(t *testing.T) {
	a := factory.New(cli.Streams())
	top := root.New(a)
	cli.HelpPages(top, func() int { return cli.PageWidth })
	var out bytes.Buffer
	top.SetOut(&out)
	pages := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.InitDefaultHelpFlag()
		out.Reset()
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		pages++
		if rows := strings.Count(out.String(), "\n"); cmd == top && rows > 23 { // a prompt follows
			t.Errorf("the page of the program has %d rows", rows)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			kept := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
			if kept && (strings.Contains(cmd.Example, line) || strings.Contains(cmd.Long, line)) {
				continue // examples and tables are not wrapped
			}
			if w := ansi.StringWidth(line); w > cli.PageWidth {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), w, line)
			}
		}
		shared := strings.Contains(out.String(), "--db FILE")
		if want := cmd.Name() == "flags"; shared != want {
			t.Errorf("%s: lists --db: %v, want %v", cmd.CommandPath(), shared, want)
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(top)
	if pages < 30 {
		t.Errorf("%d pages only", pages)
	}
}
