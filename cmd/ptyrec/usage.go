package main

import (
	"errors"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// What is said of a command line that is wrong: which word, and what would have been right. The
// exit status is 2.

// operands returns a check that a command gets between least and most arguments; a negative most
// means any number.
func operands(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misuse(usageHint(cmd), "%s: an argument is missing", cmd.Name())
		case most >= 0 && len(args) > most:
			return misuse(usageHint(cmd), "%s: %q is an argument too many", cmd.Name(), args[most])
		}
		return nil
	}
}

// oneOf returns a check that a command's argument is one of these words.
func oneOf(what string, words ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := operands(1, 1)(cmd, args); err != nil {
			return err
		}
		if !slices.Contains(words, args[0]) {
			return misuse(suggest(args[0], "", words, "it takes "+strings.Join(words, ", ")), "unknown %s %q", what, args[0])
		}
		return nil
	}
}

// subcommand checks the arguments of a command that only has subcommands: a word here is none of
// them.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasParent() {
		return misuse(commandHint(cmd, args[0]), "%s: unknown command %q", cmd.Name(), args[0])
	}
	return misuse(commandHint(cmd, args[0]), "unknown command %q", args[0])
}

// unknownCommand is the error of --help behind a word that is no command; cobra, which looks for
// this flag first, would describe the parent.
func unknownCommand(cmd *cobra.Command) error {
	if !cmd.HasAvailableSubCommands() {
		return nil
	}
	return subcommand(cmd, cmd.Flags().Args())
}

// commandHint guesses which command was meant: one of a similar name, one that does what the word
// says, or a program to be recorded.
func commandHint(cmd *cobra.Command, word string) string {
	var names []string
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, word) {
			return "did you mean " + c.CommandPath() + "?"
		}
		if c.IsAvailableCommand() {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	otherwise := "`" + cmd.CommandPath() + " --help` names the commands"
	if _, err := exec.LookPath(word); err == nil && !cmd.HasParent() {
		otherwise = "to record " + word + ": ptyrec run -- " + word
	}
	return suggest(word, cmd.CommandPath()+" ", names, otherwise)
}

// misuse is cli.Misuse.
func misuse(hint, format string, args ...any) error {
	return cli.Misuse(hint, format, args...)
}

func usageHint(cmd *cobra.Command) string {
	path := cmd.CommandPath()
	if cmd.HasParent() {
		path = cmd.Parent().CommandPath() + " " + cmd.Use
	}
	return "usage: " + path
}

// suggest returns a hint that one of names was meant, written after before, or otherwise if none is
// similar enough.
func suggest(word, before string, names []string, otherwise string) string {
	if len(names) == 0 {
		return otherwise
	}
	best, changes := cli.Nearest(word, names)
	if changes > 2 || 2*changes >= len(best) {
		return otherwise
	}
	return "did you mean " + before + best + "?"
}

// flagError says what is wrong with a flag, in place of pflag's words.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		word := unknown.GetSpecifiedName()
		return misuse(suggest(word, "--", names, helpHint(cmd)), "unknown flag --%s", word)
	case errors.As(err, &unknown):
		return misuse(helpHint(cmd), "unknown flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &valueless):
		return misuse(flagHint(valueless.GetFlag()), "--%s: a value is missing", valueless.GetFlag().Name)
	case errors.As(err, &invalid):
		return misuse(flagHint(invalid.GetFlag()), "--%s: %q is %s", invalid.GetFlag().Name, invalid.GetValue(), notOfType(invalid))
	}
	return misuse(helpHint(cmd), "%s", err)
}

// notOfType says what a value is not.
func notOfType(e *pflag.InvalidValueError) string {
	switch e.GetFlag().Value.Type() {
	case "int":
		return "no whole number"
	case "float64":
		return "no number"
	case "bool", "boolfunc":
		return "not true or false"
	}
	return "no value for it: " + e.Unwrap().Error()
}

func flagHint(f *pflag.Flag) string {
	name, usage := pflag.UnquoteUsage(f)
	return strings.TrimSpace("--"+f.Name+" "+name) + ": " + usage
}

// helpHint names the help page of a command.
func helpHint(cmd *cobra.Command) string {
	return "see `" + strings.Replace(cmd.CommandPath(), "ptyrec", "ptyrec help", 1) + "`"
}
