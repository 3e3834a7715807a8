package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Manual writes manual pages (section 1).
type Manual struct {
	Source string    // name and version of the program
	Date   time.Time // date of the pages
}

// Write writes the page of a command with the macros of man(7). The root's page also contains the
// help topics about sessions and exit statuses.
//
// It does not use cobra/doc, which fills tables, and whose Markdown parser compiles regular
// expressions at each start of the program.
func (m Manual) Write(out io.Writer, cmd *cobra.Command) error {
	long := cmd.Long
	if !cmd.HasParent() {
		long = cmd.Short + ".\n\n" + strings.TrimSpace(sessionNames) + "\n\n" + strings.TrimSpace(exitStatuses)
	} else if long == "" {
		long = cmd.Short + "."
	}
	cmd.InitDefaultHelpFlag()
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, ".TH %q \"1\" %q %q \"ptyrec\"\n", strings.ToUpper(pageName(cmd)), m.Date.Format("Jan 2006"), m.Source)
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", roff(pageName(cmd)), roff(cmd.Short))
	fmt.Fprintf(w, ".SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n", roff(cmd.UseLine()))
	for i, part := range strings.Split(long, "\n\n") {
		if i > 0 {
			fmt.Fprintln(w, ".PP")
		}
		writePart(w, part)
	}
	writeFlags(w, "OPTIONS", cmd.NonInheritedFlags())
	writeFlags(w, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintln(w, ".SH EXAMPLE")
		writePart(w, cmd.Example)
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, roff(pageName(cmd.Parent()))+"(1)")
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() {
			also = append(also, roff(pageName(c))+"(1)")
		}
	}
	fmt.Fprintf(w, ".SH SEE ALSO\n%s\n", strings.Join(also, ", "))
	return w.Flush()
}

func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// writePart writes lines: unchanged if one is indented, else filled.
func writePart(w io.Writer, text string) {
	if strings.HasPrefix(text, "  ") || strings.Contains(text, "\n  ") {
		text = ".nf\n" + roff(text) + "\n.fi"
	} else {
		text = roff(text)
	}
	fmt.Fprintln(w, text)
}

// writeFlags writes flags as in the help.
func writeFlags(w io.Writer, title string, flags *pflag.FlagSet) {
	if flags.HasAvailableFlags() {
		fmt.Fprintf(w, ".SH %s\n", title)
		writePart(w, strings.TrimRight(flags.FlagUsagesWrapped(PageWidth), "\n"))
	}
}

// roffEscapes escapes backslashes, dashes, and characters that troff interprets at the start of a
// line.
var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

func roff(text string) string { return strings.TrimPrefix(roffEscapes.Replace("\n"+text), "\n") }

// WriteAll writes the pages of a command and its subcommands to a folder, and creates the folder if
// needed.
func (m Manual) WriteAll(t *Temporaries, dir string, cmd *cobra.Command) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if !cmd.IsAvailableCommand() && cmd.HasParent() || cmd.IsAdditionalHelpTopicCommand() {
		return nil
	}
	name := pageName(cmd) + ".1"
	path := filepath.Join(dir, name)
	err := t.WriteFile(path, func(w io.Writer) error { return m.Write(w, cmd) })
	if err == nil {
		err = os.Chmod(path, 0o644) // the pages are not private
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, c := range cmd.Commands() {
		if err := m.WriteAll(t, dir, c); err != nil {
			return err
		}
	}
	return nil
}
