package team

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// retentionCommands returns the subcommands of `ptyrec team retention`.
func retentionCommands(o AdminOptions) []*cobra.Command {
	list := command(o, "list", "List the retention of spaces, and the sessions on hold", 0, 0,
		func(t *database, _ []string) error {
			spaces, err := t.Spaces(t.ctx)
			if err != nil {
				return err
			}
			for _, s := range spaces {
				fmt.Fprintf(o.Out, "%s\t%s\n", printable.Line(s.Name), daysText(s.KeepDays))
			}
			held, err := t.Held(t.ctx)
			for _, id := range held {
				fmt.Fprintf(o.Out, "hold\t%s\n", id)
			}
			return err
		})
	set := command(o, "set SPACE TIME", "Delete a space's sessions after a time such as 90d, or never", 2, 2,
		func(t *database, args []string) error {
			days, err := parseDays(args[1])
			if err != nil {
				return err
			}
			return t.SetRetention(t.ctx, args[0], days)
		})
	set.Long = `Set says how long the sessions of a space stay. The server counts from the day on which it first heard ` +
		`of a session, by the database's clock, and
deletes for good within about an hour: there is no way back. Sessions in no space stay until their owners delete them.`
	return []*cobra.Command{list, set,
		command(o, "hold S", "Keep a session (whole id), whatever its age", 1, 1,
			func(t *database, args []string) error { return t.Hold(t.ctx, args[0], true) }),
		command(o, "release S", "End the hold of a session", 1, 1,
			func(t *database, args []string) error { return t.Hold(t.ctx, args[0], false) }),
	}
}

// never is the word for no limit.
const never = "never"

// parseDays parses a time in whole days; 0 means never.
func parseDays(text string) (days int64, err error) {
	if text == never {
		return 0, nil
	}
	age, err := human.ParseAge(text)
	days = int64(age.Hours() / 24)
	if err != nil || days < 1 || days > maxDays {
		return 0, failure.Misuse("write 90d, 12w, 1y or never", "%q is not a number of days", text)
	}
	return days, nil
}

// maxDays is the maximum retention, in days.
const maxDays = 100 * 366

func daysText(days int64) string {
	if days == 0 {
		return never
	}
	return strconv.FormatInt(days, 10) + "d"
}

// policyCommands returns the subcommands of `ptyrec team policy`.
func policyCommands(o AdminOptions) []*cobra.Command {
	list := command(o, "list", "List the patterns", 0, 0, func(t *database, _ []string) error {
		patterns, err := t.Patterns(t.ctx)
		for _, p := range patterns {
			fmt.Fprintf(o.Out, "%s\t%s\n", p.Name, printable.Line(p.Regexp))
		}
		return err
	})
	add := command(o, "add NAME REGEXP", "Add a pattern that machines remove before they send", 2, 2,
		func(t *database, args []string) error {
			err := t.AddPattern(t.ctx, redact.Pattern{Name: args[0], Regexp: args[1]})
			var invalid *postgres.PatternError
			if errors.As(err, &invalid) {
				return failure.Misuse("patterns are RE2: https://github.com/google/re2/wiki/Syntax", "%v", invalid)
			}
			return err
		})
	add.Long = `Add has machines take out what matches a pattern, besides what their own settings say, before they ` +
		`send. The pattern counts for what is sent from then on,
and the server applies it once more. If the pattern has a group, the group is the secret.`
	add.Example = `  ptyrec team policy add customer 'CUST-[0-9]{8}'`
	return []*cobra.Command{list, add,
		command(o, "rm NAME", "Remove a pattern", 1, 1,
			func(t *database, args []string) error { return t.RemovePattern(t.ctx, args[0]) }),
	}
}
