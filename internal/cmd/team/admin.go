package team

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// AdminOptions are the options of the commands.
type AdminOptions struct {
	Out  io.Writer
	Open func(ctx context.Context) (Admin, error) // opens the team's database, or its server
}

// database is a team's database, used by its operator, or its server, used by an admin.
type database struct {
	Admin
	ctx context.Context // context of the command
}

// NewAdminCmd returns the command with its subcommands.
func NewAdminCmd(o AdminOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "team",
		Short: "Administer a team's server",
		Long: `Team administers a team's server (docs/team.md): in the database of --db postgres://… or
$PTYREC_DB, or on the server that you have logged in to, as an admin or, for the audit, an
auditor. Users have a role, and tokens for programs and browsers. A space is a group of sessions
that its members can read.`,
		Example: `  export PTYREC_DB=postgres://ptyrec@db.example.com/ptyrec
  ptyrec team user add ann --admin
  ptyrec team token add --user ann
  ptyrec team user email ann ann@example.com
  ptyrec team space add shop
  ptyrec team space member shop ann
  ptyrec team token add --user ann --push --space shop --name ci --for 90d
  ptyrec team retention set shop 90d
  ptyrec team policy add customer 'CUST-[0-9]{8}'
  ptyrec team audit --since yesterday`,
		Args: cli.Operands(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group := func(name, short string, commands ...*cobra.Command) {
		g := &cobra.Command{Use: name, Short: short, Args: cli.Operands(0, 0),
			RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
		g.AddCommand(commands...)
		cmd.AddCommand(g)
	}
	group("user", "Add, list and remove users", newUserAddCmd(o), newUserListCmd(o), newUserEmailCmd(o),
		command(o, "rm NAME", "Remove a user and its tokens, but not its sessions", 1, 1,
			func(t *database, args []string) error { return t.RemoveUser(t.ctx, args[0]) }))
	group("token", "Create, list and revoke tokens", newTokenAddCmd(o), newTokenListCmd(o),
		command(o, "rm ID", "Revoke a token", 1, 1, func(t *database, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return failure.Misuse("`ptyrec team token list` prints the numbers", "invalid token number %q",
					args[0])
			}
			return t.RemoveToken(t.ctx, id)
		}))
	group("space", "Add and list spaces, and their members", newSpaceListCmd(o), newSpaceMemberCmd(o),
		command(o, "add NAME", "Add a space", 1, 1,
			func(t *database, args []string) error { return t.AddSpace(t.ctx, args[0]) }))
	group("retention", "Set how long the sessions of spaces are kept", retentionCommands(o)...)
	group("policy", "Set what machines remove before they send", policyCommands(o)...)
	cmd.AddCommand(newAuditCmd(o))
	return cmd
}

// command returns a command that uses a team's database.
func command(o AdminOptions, use, short string, least, most int,
	do func(t *database, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cli.Operands(least, most),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := o.Open(cmd.Context())
			if err != nil {
				return err
			}
			return hint(do(&database{db, postgres.As(cmd.Context(), postgres.Viewer{Operator: true})}, args))
		}}
}

// hint adds a hint to an error of a team's database.
func hint(err error) error {
	switch {
	case errors.Is(err, postgres.ErrUnknown):
		return failure.New(err, "see `ptyrec team user list`, `team space list` and `team token list`")
	case errors.Is(err, postgres.ErrTaken):
		return failure.New(err, "choose another name")
	case errors.Is(err, postgres.ErrNotMember):
		return failure.New(err, "`ptyrec team space member SPACE USER` makes a user a member of a space")
	case errors.Is(err, session.ErrForbidden):
		return failure.New(err, "ask an admin (for the audit, an auditor), or log in as one with `ptyrec login`")
	case errors.Is(err, postgres.ErrAudit):
		return failure.New(err, "the database was changed: compare it with a backup")
	}
	return err
}

func newUserAddCmd(o AdminOptions) *cobra.Command {
	var admin, auditor bool
	cmd := command(o, "add NAME", "Add a user", 1, 1, func(t *database, args []string) error {
		role := postgres.RoleMember
		switch {
		case admin && auditor:
			return usage("--admin and --auditor cannot be combined")
		case admin:
			role = postgres.RoleAdmin
		case auditor:
			role = postgres.RoleAuditor
		}
		return t.AddUser(t.ctx, args[0], role)
	})
	cmd.Flags().BoolVar(&admin, "admin", false, "let the user change users, tokens and spaces")
	cmd.Flags().BoolVar(&auditor, "auditor", false, "let the user read all sessions (audited)")
	return cmd
}

func newUserEmailCmd(o AdminOptions) *cobra.Command {
	cmd := command(o, "email NAME [ADDRESS]", "Set the e-mail address of the user at the provider", 1, 2,
		func(t *database, args []string) error {
			return t.SetEmail(t.ctx, args[0], strings.Join(args[1:], ""))
		})
	cmd.Long = `Email sets the address by which a user who signs in at the provider of ` + "`ptyrec team serve --oidc-" +
		"issuer`" + ` is recognised the first time; without ADDRESS, by none.
The provider must have verified it. Who has signed in as this user so far does so no longer, unless by the new address.`
	return cmd
}

func newUserListCmd(o AdminOptions) *cobra.Command {
	return command(o, "list", "List the users with their roles and e-mail addresses", 0, 0,
		func(t *database, _ []string) error {
			users, err := t.Users(t.ctx)
			for _, u := range users {
				line := printable.Line(u.Name) + "\t" + u.Role
				if u.Email != "" {
					line += "\t" + printable.Line(u.Email)
				}
				fmt.Fprintln(o.Out, line)
			}
			return err
		})
}

func newTokenAddCmd(o AdminOptions) *cobra.Command {
	n := postgres.NewToken{Kind: postgres.KindUser}
	var push bool
	var valid string
	cmd := command(o, "add", "Create a token, and print it (once)", 0, 0, func(t *database, _ []string) error {
		if push {
			n.Kind = postgres.KindPush
		}
		switch {
		case n.User == "":
			return failure.Misuse("a token belongs to a user: add --user NAME", "--user is required")
		case n.Space != "" && !push:
			return usage("--space requires --push")
		}
		if valid != "" {
			age, err := human.ParseAge(valid)
			if err != nil {
				return failure.Misuse("write 90d, 2w or 12h", "--for %q is not a time", valid)
			}
			n.Expires = time.Now().Add(age)
		}
		token, err := t.AddToken(t.ctx, n)
		if err == nil {
			_, err = fmt.Fprintln(o.Out, token)
		}
		return err
	})
	flags := cmd.Flags()
	flags.StringVar(&n.User, "user", "", "create a token for `USER`")
	flags.StringVar(&n.Name, "name", "", "set the description of the token to `TEXT`")
	flags.BoolVar(&push, "push", false, "create a token that can only send sessions")
	flags.StringVar(&n.Space, "space", "", "send the push token's sessions to `SPACE`")
	flags.StringVar(&valid, "for", "", "limit the token to `TIME`, such as 90d (default: none)")
	return cmd
}

func newTokenListCmd(o AdminOptions) *cobra.Command {
	return command(o, "list", "List the tokens: number, user, kind, space, name, expiry, last use", 0, 0,
		func(t *database, _ []string) error {
			tokens, err := t.Tokens(t.ctx)
			for _, k := range tokens {
				fmt.Fprintf(o.Out, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, printable.Line(k.User), k.Kind, printable.Line(k.Space),
					printable.Line(k.Name), momentOr(k.Expires, "never"), momentOr(k.Used, "unused"))
			}
			return err
		})
}

// momentOr formats a time, or returns none if it is nil.
func momentOr(t *time.Time, none string) string {
	if t == nil {
		return none
	}
	return t.Local().Format(time.DateTime)
}

func newSpaceListCmd(o AdminOptions) *cobra.Command {
	return command(o, "list", "List the spaces with their members", 0, 0, func(t *database, _ []string) error {
		spaces, err := t.Spaces(t.ctx)
		for _, s := range spaces {
			members := make([]string, len(s.Members))
			for i, m := range s.Members {
				members[i] = printable.Line(m.User) + " (" + m.Role + ")"
			}
			fmt.Fprintf(o.Out, "%s\t%s\n", printable.Line(s.Name), strings.Join(members, ", "))
		}
		return err
	})
}

func newSpaceMemberCmd(o AdminOptions) *cobra.Command {
	var reader, remove bool
	cmd := command(o, "member SPACE USER", "Add a user to a space, or remove it", 2, 2,
		func(t *database, args []string) error {
			role := "member"
			switch {
			case reader && remove:
				return usage("--reader and --rm cannot be combined")
			case reader:
				role = "reader"
			case remove:
				role = ""
			}
			return t.SetMember(t.ctx, args[0], args[1], role)
		})
	cmd.Flags().BoolVar(&reader, "reader", false, "let the user only read")
	cmd.Flags().BoolVar(&remove, "rm", false, "remove the user from the space")
	return cmd
}

func newAuditCmd(o AdminOptions) *cobra.Command {
	var since string
	cmd := command(o, "audit", "Print the audit as JSON lines, and verify it", 0, 0, func(t *database, _ []string) error {
		span, err := human.ParseSpan(since, time.Now())
		if err != nil {
			return failure.Misuse(human.TimeHelp, "--since %q is not a time", since)
		}
		out := json.NewEncoder(o.Out)
		return t.Audit(t.ctx, span.Start, func(r postgres.Record) error { return out.Encode(r) })
	})
	cmd.Long = "Audit prints logins, changes of roles, tokens and spaces, deletions, and who read, exported or found " +
		"sessions of others, from the beginning of a day (UTC) on."
	cmd.Flags().StringVar(&since, "since", "30d", "start with the day of `TIME`")
	return cmd
}

func usage(text string) error { return &failure.Error{Err: errors.New(text), Misuse: true} }
