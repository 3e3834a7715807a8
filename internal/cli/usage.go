package cli

import (
	"errors"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// Operands returns a check that the number of a command's arguments is between least and most. A
// negative most means no limit.
func Operands(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return failure.Misuse(usageHint(cmd), "%s: missing argument", cmd.Name())
		case most >= 0 && len(args) > most:
			return failure.Misuse(usageHint(cmd), "%s: unexpected argument %q", cmd.Name(), args[most])
		}
		return nil
	}
}

// OneOf returns a check that a command's argument is one of these words. what names the argument.
func OneOf(what string, words ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := Operands(1, 1)(cmd, args); err != nil {
			return err
		}
		if !slices.Contains(words, args[0]) {
			return failure.Misuse(Suggest(args[0], "", words, "use one of "+strings.Join(words, ", ")), "unknown %s %q", what,
				args[0])
		}
		return nil
	}
}

// Subcommand is the check for a command that has only subcommands: any argument is an unknown
// subcommand.
func Subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasParent() {
		return failure.Misuse(commandHint(cmd, args[0]), "%s: unknown command %q", cmd.Name(), args[0])
	}
	return failure.Misuse(commandHint(cmd, args[0]), "unknown command %q", args[0])
}

// UnknownCommand returns the error for --help after an unknown command. cobra evaluates the flag
// first and would describe the parent.
func UnknownCommand(cmd *cobra.Command) error {
	if !cmd.HasAvailableSubCommands() {
		return nil
	}
	return Subcommand(cmd, cmd.Flags().Args())
}

// NeverSuggest is the annotation of commands that are never suggested for an unknown word.
const NeverSuggest = "ptyrec_never_suggest"

// commandHint returns a hint for an unknown word: a command with a similar name or purpose, or a
// program to record.
func commandHint(cmd *cobra.Command, word string) string {
	var names []string
	for _, c := range cmd.Commands() {
		if _, never := c.Annotations[NeverSuggest]; never {
			continue
		}
		if slices.Contains(c.SuggestFor, word) {
			return "did you mean " + c.CommandPath() + "?"
		}
		if c.IsAvailableCommand() {
			names = append(append(names, c.Name()), c.Aliases...)
		}
	}
	otherwise := "`" + cmd.CommandPath() + " --help` lists the commands"
	if !cmd.HasParent() {
		otherwise = "`" + cmd.CommandPath() + " help all` lists the commands"
	}
	if _, err := exec.LookPath(word); err == nil && !cmd.HasParent() {
		otherwise = "to record " + word + ": ptyrec run -- " + word
	}
	return Suggest(word, cmd.CommandPath()+" ", names, otherwise)
}

func usageHint(cmd *cobra.Command) string {
	path := cmd.CommandPath()
	if cmd.HasParent() {
		path = cmd.Parent().CommandPath() + " " + cmd.Use
	}
	return "usage: " + path
}

// Suggest returns a hint that suggests the most similar of names, written after before, or
// otherwise if none is similar enough.
func Suggest(word, before string, names []string, otherwise string) string {
	if len(names) == 0 {
		return otherwise
	}
	best, changes := Nearest(word, names)
	if changes > 2 || 2*changes >= len(best) {
		return otherwise
	}
	return "did you mean " + before + best + "?"
}

// FlagError returns the error for an invalid flag, instead of pflag's.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var valueless *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		word := unknown.GetSpecifiedName()
		return failure.Misuse(Suggest(word, "--", names, HelpHint(cmd)), "unknown flag --%s", word)
	case errors.As(err, &unknown):
		return failure.Misuse(HelpHint(cmd), "unknown flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &valueless):
		return failure.Misuse(flagHint(valueless.GetFlag()), "--%s requires a value", valueless.GetFlag().Name)
	case errors.As(err, &invalid):
		return failure.Misuse(flagHint(invalid.GetFlag()), "--%s: %q is %s", invalid.GetFlag().Name, invalid.GetValue(),
			notOfType(invalid))
	}
	return failure.Misuse(HelpHint(cmd), "%s", err)
}

// notOfType explains why a value is invalid.
func notOfType(e *pflag.InvalidValueError) string {
	switch e.GetFlag().Value.Type() {
	case "int":
		return "not a whole number"
	case "float64":
		return "not a number"
	case "bool", "boolfunc":
		return "not true or false"
	}
	return "invalid: " + e.Unwrap().Error()
}

func flagHint(f *pflag.Flag) string {
	name, usage := pflag.UnquoteUsage(f)
	return strings.TrimSpace("--"+f.Name+" "+name) + ": " + usage
}

// HelpHint returns a hint that refers to the help page of a command.
func HelpHint(cmd *cobra.Command) string {
	return "see `" + strings.Replace(cmd.CommandPath(), "ptyrec", "ptyrec help", 1) + "`"
}
