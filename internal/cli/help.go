package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// PageWidth is the width of a help page, in columns, unless the terminal is narrower.
const PageWidth = 80

// HelpPages sets the help functions of root and its commands. width returns the maximum width in
// columns. --help prints a short page; Explain prints the whole text.
func HelpPages(root *cobra.Command, width func() int) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		p := &helpPage{width: width(), cmd: cmd}
		p.short()
		_, _ = io.WriteString(cmd.OutOrStdout(), p.text.String()) // the reader may have exited
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		p := &helpPage{width: width(), cmd: cmd}
		p.usage(shortExamples)
		_, err := io.WriteString(cmd.OutOrStderr(), p.text.String())
		return err
	})
}

// Explain writes the complete help of a command. For the root it lists all commands.
func Explain(w io.Writer, cmd *cobra.Command, width int) error {
	p := &helpPage{width: width, cmd: cmd}
	if cmd.Long != "" {
		p.text.WriteString(wrapText(strings.TrimRight(cmd.Long, "\n "), width) + "\n")
	} else {
		p.text.WriteString(wrapText(cmd.Short+".", width) + "\n")
	}
	if cmd.HasParent() && !cmd.IsAdditionalHelpTopicCommand() {
		p.usage(-1)
	} else if !cmd.HasParent() {
		p.commands()
		p.flags()
	}
	_, err := io.WriteString(w, p.text.String())
	return err
}

const (
	// shortExamples is the number of examples on a short page.
	shortExamples = 3
	// shortLines is the length of a short page, in lines, beyond which groups of flags are only named.
	shortLines = 24
)

// helpPage builds the help of a command.
type helpPage struct {
	cmd       *cobra.Command
	width     int  // maximum width in columns
	onlyNames bool // do not describe the flags of groups
	text      strings.Builder
}

// short adds the short page: a sentence about the command, and its usage.
func (p *helpPage) short() {
	switch {
	case p.cmd.IsAdditionalHelpTopicCommand():
		p.text.WriteString(wrapText(strings.TrimRight(p.cmd.Long, "\n "), p.width) + "\n")
		return
	case !p.cmd.HasParent():
		p.text.WriteString(p.cmd.Short + ".\n\n" + strings.Trim(p.cmd.Example, "\n") + "\n\n")
		p.text.WriteString(wrapText(p.cmd.Name()+" help COMMAND explains a command. "+p.cmd.Name()+" help all lists all co"+
			"mmands.", p.width) + "\n")
		return
	}
	for _, p.onlyNames = range []bool{false, true} {
		p.text.Reset()
		p.text.WriteString(wrapText(p.cmd.Short+".", p.width) + "\n")
		p.usage(shortExamples)
		if strings.Count(p.text.String(), "\n") <= shortLines {
			break
		}
	}
}

// usage adds the command line, up to the given number of examples (all if negative), commands and
// flags.
func (p *helpPage) usage(examples int) {
	p.section("Usage")
	if p.cmd.Runnable() {
		p.entry("  ", p.cmd.UseLine(), 6)
	}
	if p.cmd.HasAvailableSubCommands() {
		p.entry("  ", p.cmd.CommandPath()+" [command]", 6)
	}
	if len(p.cmd.Aliases) > 0 {
		p.section("Aliases")
		p.entry("  ", p.cmd.NameAndAliases(), 4)
	}
	if p.cmd.HasExample() {
		p.section("Examples")
		p.text.WriteString(firstExamples(p.cmd.Example, examples) + "\n")
	}
	p.commands()
	p.flags()
	if !p.cmd.HasParent() {
		return
	}
	root := p.cmd.Root().Name()
	more := fmt.Sprintf("%s explains more.", strings.Replace(p.cmd.CommandPath(), root, root+" help", 1))
	if examples < 0 {
		more = fmt.Sprintf("%s help flags shows the flags of every command.", root)
	}
	p.text.WriteString("\n" + wrapText(more, p.width) + "\n")
}

// firstExamples returns the first n examples, or all if n is negative. Lines with further
// indentation continue an example.
func firstExamples(text string, n int) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		continues := strings.HasPrefix(line, "   ")
		if n == 0 && !continues {
			break
		}
		if !continues {
			n--
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// flags adds the flags of the command by group, except --help.
func (p *helpPage) flags() {
	var titles []string
	groups := map[string]*pflag.FlagSet{}
	p.cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		title := "Flags"
		if group := f.Annotations[flagGroup]; len(group) > 0 {
			title = group[0]
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet("", pflag.ContinueOnError)
			titles = append(titles, title)
		}
		groups[title].AddFlag(f)
	})
	slices.SortStableFunc(titles, func(a, b string) int { // flags without a group come first
		switch {
		case a == b:
			return 0
		case a == "Flags":
			return -1
		case b == "Flags":
			return 1
		}
		return 0
	})
	for _, title := range titles {
		p.section(title)
		if !p.onlyNames || title == "Flags" {
			p.text.WriteString(groups[title].FlagUsagesWrapped(p.width))
			continue
		}
		var names []string
		groups[title].VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		p.entry("  ", strings.Join(names, " "), 2)
	}
}

// commands adds the subcommands, by group, and the help topics.
func (p *helpPage) commands() {
	cmds := p.cmd.Commands()
	list := func(title string, want func(*cobra.Command) bool) {
		begun := false
		for _, c := range cmds {
			if !want(c) {
				continue
			}
			if !begun {
				p.section(title)
				begun = true
			}
			name := fmt.Sprintf("  %-*s ", p.cmd.NamePadding(), c.Name())
			p.entry(name, c.Short, len(name))
		}
	}
	for _, g := range p.cmd.Groups() {
		list(strings.TrimSuffix(g.Title, ":"), func(c *cobra.Command) bool { return c.GroupID == g.ID && isListed(c) })
	}
	list("Commands", func(c *cobra.Command) bool { return c.GroupID == "" && isListed(c) })
	list("Help topics", func(c *cobra.Command) bool { return c.IsAdditionalHelpTopicCommand() })
}

// isListed reports whether a help page lists a command.
func isListed(c *cobra.Command) bool { return c.IsAvailableCommand() || c.Name() == "help" }

func (p *helpPage) section(title string) { p.text.WriteString("\n" + title + ":\n") }

// entry adds text after head. Lines that follow the first are indented by hang columns.
func (p *helpPage) entry(head, text string, hang int) {
	p.text.WriteString(wrapWords(strings.Fields(text), p.width, head, strings.Repeat(" ", hang)) + "\n")
}

// wrapText wraps the paragraphs of text at width columns. Lines that begin with a blank are kept.
func wrapText(text string, width int) string {
	var out []string
	var words []string
	flush := func() {
		if len(words) > 0 {
			out = append(out, wrapWords(words, width, "", ""))
		}
		words = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || line[0] == ' ' || line[0] == '\t' {
			flush()
			out = append(out, line)
			continue
		}
		words = append(words, strings.Fields(line)...)
	}
	flush()
	return strings.Join(out, "\n")
}

// wrapWords wraps words to lines of at most width columns. The first line begins with first, which
// includes its own blank, the others with rest.
func wrapWords(words []string, width int, first, rest string) string {
	var b strings.Builder
	b.WriteString(first)
	col, begun := ansi.StringWidth(first), false
	for _, w := range words {
		n := ansi.StringWidth(w)
		switch {
		case begun && col+1+n > width:
			b.WriteString("\n" + rest)
			col = len(rest)
		case begun:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(w)
		col += n
		begun = true
	}
	return b.String()
}

// NewFlagsTopic returns the help topic about the flags of every command. root must already have
// them.
func NewFlagsTopic(root *cobra.Command) *cobra.Command {
	long := "These flags work with every command:\n\n" +
		strings.TrimRight(root.PersistentFlags().FlagUsagesWrapped(PageWidth), "\n")
	return &cobra.Command{Use: "flags", Short: "The flags of every command", Long: long}
}
