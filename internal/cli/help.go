package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// PageWidth is the width of a help page, in columns, unless the terminal is narrower.
const PageWidth = 80

// HelpPages makes root and its commands print their help in at most as many columns as width
// returns.
func HelpPages(root *cobra.Command, width func() int) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		p := &helpPage{width: width(), cmd: cmd}
		p.all()
		_, _ = io.WriteString(cmd.OutOrStdout(), p.text.String()) // the reader may be gone
	})
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		p := &helpPage{width: width(), cmd: cmd}
		p.usage()
		_, err := io.WriteString(cmd.OutOrStderr(), p.text.String())
		return err
	})
}

// helpPage collects the help of a command.
type helpPage struct {
	cmd   *cobra.Command
	width int // in columns
	text  strings.Builder
}

// all adds what the command does, and its usage.
func (p *helpPage) all() {
	text := p.cmd.Long
	if text == "" {
		text = p.cmd.Short
	}
	p.text.WriteString(wrapText(strings.TrimRight(text, "\n "), p.width))
	p.text.WriteString("\n")
	if p.cmd.Runnable() || p.cmd.HasSubCommands() {
		p.usage()
	}
}

// usage adds the command line, examples, commands and flags.
func (p *helpPage) usage() {
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
		p.text.WriteString(p.cmd.Example + "\n")
	}
	p.commands()
	if p.cmd.HasAvailableLocalFlags() {
		p.section("Flags")
		p.text.WriteString(p.cmd.LocalFlags().FlagUsagesWrapped(p.width))
	}
	root := p.cmd.Root().Name()
	if p.cmd.HasAvailableInheritedFlags() {
		p.text.WriteString("\n" + wrapText(fmt.Sprintf("%s help flags shows the flags of every command.", root), p.width) + "\n")
	}
	if p.cmd.HasAvailableSubCommands() {
		p.text.WriteString("\n" + wrapText(fmt.Sprintf("%s [command] --help explains a command.", p.cmd.CommandPath()), p.width) + "\n")
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

// wrapWords joins words to lines of at most width columns. The first line begins with first, which
// has its own blank, the others with rest.
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

// NewFlagsTopic returns the help topic on the flags of every command, which root must have by now.
func NewFlagsTopic(root *cobra.Command) *cobra.Command {
	long := "These flags work with every command:\n\n" + strings.TrimRight(root.PersistentFlags().FlagUsagesWrapped(PageWidth), "\n")
	return &cobra.Command{Use: "flags", Short: "The flags of every command", Long: long}
}
