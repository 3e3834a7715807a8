package find

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/cli/listing"
	"github.com/ptyrec/ptyrec/internal/cli/opener"
	"github.com/ptyrec/ptyrec/internal/cmd/factory"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// searchOptions are the options of search.
type searchOptions struct {
	IO   *cli.IO
	Open *opener.Opener

	factory.TableFlags
	roles []string
	limit int
}

// NewCmdSearch returns the search command.
func NewCmdSearch(f *factory.Factory) *cobra.Command {
	o := &searchOptions{IO: f.IO, Open: f.Open}
	cmd := &cobra.Command{
		Use:        "search WORDS…",
		SuggestFor: []string{"find", "grep"},
		Short:      "Search the conversations of all sessions",
		Long: `Search lists sessions whose title, note or tags match, and then matching messages: the best first
or, for a prefix*, the newest first. All words must occur, in any order. Use "a phrase" (in the
shell's quotes), pre* for a prefix, AND, OR, NOT and parentheses. Case and accents are ignored;
Chinese, Japanese and Korean words are found anywhere in a sentence. Each match has a name for
show: ptyrec show 4f1a#12. The exit status is 1 if there are no matches.`,
		Example: `  ptyrec search cache
  ptyrec search '"cache key" OR evict*' --on tuesday
  ptyrec search --role user --agent codex 缓存
  ptyrec search --team 'connection refused'
  ptyrec search migration NOT test --json | jq -r '.[].snippet'`,
		Args: cli.Operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return search(cmd.Context(), o, strings.Join(args, " "))
		},
	}
	o.Register(o.Open, cmd)
	o.RegisterTeam(cmd.Flags())
	cmd.Flags().StringSliceVar(&o.roles, "role", nil, "search only messages of these `ROLES`: "+strings.Join(roles, ", "))
	cmd.Flags().IntVarP(&o.limit, "limit", "n", 20, "print at most `N` matches")
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions(roles, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// roles are the roles of messages.
var roles = []string{
	session.RoleUser, session.RoleAssistant, session.RoleTool, session.RoleThinking, session.RoleCommand,
	session.RoleShell, session.RoleSystem,
}

func search(ctx context.Context, o *searchOptions, words string) error {
	now := time.Now()
	filter, err := o.Filter(now)
	if err != nil {
		return err
	}
	o.SayUnderstood(o.IO.Notice)
	if filter.Limit = o.limit; o.limit < 1 {
		return failure.Usage(fmt.Errorf("--limit must be at least 1, not %d", o.limit))
	}
	if !strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return failure.Misuse("try a word, \"a phrase\" or a beginning (cach*)", "%s contains no word", words)
	}
	for _, role := range o.roles {
		if !slices.Contains(roles, role) {
			return failure.Misuse(cli.Suggest(role, "", roles, "use one of "+strings.Join(roles, ", ")), "unknown role %q", role)
		}
	}
	hits, err := searched(ctx, o, store.Query{Text: words, Roles: o.roles, Filter: filter})
	if err != nil {
		return err
	}
	if o.AsJSON {
		err := cli.WriteBuffered(o.IO.Out, func(w io.Writer) error { return hits.WriteJSON(w, o.Open.Sockets()) })
		if err == nil && hits.Len() == 0 {
			err = cli.ExitStatus(cli.StatusFailure)
		}
		return err
	}
	if hits.Len() == 0 {
		return failure.New(fmt.Errorf("no matches for %s", words), "try fewer words, a beginning (cach*), or OR between them")
	}
	look := listing.HitsLook{Style: o.IO.Colours(), Width: o.IO.Width(), Named: cli.IsTerminal(o.IO.Out), Now: now}
	return o.IO.Page(cli.Text(hits.Text(look)))
}

// searched returns the hits. There are none without a database.
func searched(ctx context.Context, o *searchOptions, q store.Query) (*listing.Hits, error) {
	db, err := o.Open.For(ctx, o.Team)
	if errors.Is(err, opener.ErrNoDatabase) {
		return &listing.Hits{}, nil
	}
	if err != nil {
		return nil, err
	}
	lib, err := o.Open.Library(db)
	if err != nil {
		return nil, err
	}
	labels, hits, err := lib.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	ids, err := db.IDs(ctx)
	return &listing.Hits{Sessions: labels, Entries: hits, IDs: listing.NewShortIDs(ids)}, err
}
