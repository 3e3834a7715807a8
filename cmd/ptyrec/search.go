package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/printable"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

type searchFlags struct {
	tableFlags
	roles []string
	limit int
}

func newSearchCmd(a *app) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:        "search WORDS…",
		SuggestFor: []string{"find", "grep"},
		Short:      "Search what was said in all sessions",
		Long: `Search lists the sessions whose title, note or tags match, then the messages that match: the best
first or, for a prefix*, the newest first. All words must occur, in any order. Write "a phrase" in
quotes (inside the shell's quotes), pre* for a prefix, AND, OR, NOT and parentheses. Case and accents
are ignored; Chinese, Japanese and Korean are found anywhere in a sentence. Each hit has a name that
show accepts: ptyrec show 019a9ec0#12. The exit status is 1 if nothing is found.`,
		Example: `  ptyrec search cache
  ptyrec search '"cache key" OR evict*' --on tuesday
  ptyrec search --role user --agent codex 缓存
  ptyrec search migration NOT test --json | jq -r '.[].snippet'`,
		Args: operands(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return search(cmd.Context(), a, strings.Join(args, " "), f)
		},
	}
	f.register(a, cmd)
	cmd.Flags().StringSliceVar(&f.roles, "role", nil, "only messages of these `ROLES`: "+strings.Join(roles, ", "))
	cmd.Flags().IntVarP(&f.limit, "limit", "n", 20, "no more than `N` hits")
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions(roles, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// roles are those of messages.
var roles = []string{
	session.RoleUser, session.RoleAssistant, session.RoleTool, session.RoleThinking, session.RoleCommand, session.RoleShell, session.RoleSystem,
}

func search(ctx context.Context, a *app, words string, f searchFlags) error {
	now := time.Now()
	filter, err := f.filter(now)
	if err != nil {
		return err
	}
	if filter.Limit = f.limit; f.limit < 1 {
		return usageError(fmt.Errorf("--limit %d: it takes a number from 1", f.limit))
	}
	if !strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return misuse("try a word, \"a phrase\" or a beginning (cach*)", "there is no word in %s", words)
	}
	for _, role := range f.roles {
		if !slices.Contains(roles, role) {
			return misuse(cli.Suggest(role, "", roles, "it takes "+strings.Join(roles, ", ")), "unknown role %q", role)
		}
	}
	labels, hits, short, err := a.searched(ctx, store.Query{Text: words, Roles: f.roles, Filter: filter})
	if err != nil {
		return err
	}
	none := len(labels)+len(hits) == 0
	if f.asJSON {
		err := cli.WriteBuffered(a.stdout, func(w io.Writer) error { return writeHitsJSON(w, labels, hits, short, a.sockets()) })
		if err == nil && none {
			err = cli.ExitStatus(cli.StatusFailure)
		}
		return err
	}
	if none {
		return fail(fmt.Errorf("nothing is found for %s", words), "try fewer words, a beginning (cach*), or OR between them")
	}
	var b strings.Builder
	for _, hit := range labels {
		writeLabelHit(&b, a, hit, short, now)
	}
	for _, hit := range hits {
		writeHit(&b, a, hit, short, now)
	}
	return a.page(cli.Text(b.String()))
}

// searched asks the database, and reads the sessions whose entries it does not take now; their hits
// come first. It returns the ids by which the sessions are known too. Without a database there are
// none.
func (a *app) searched(ctx context.Context, q store.Query) (labels []*store.LabelHit, hits []*store.Hit, _ shortIDs, err error) {
	db, err := a.openExisting(ctx)
	if errors.Is(err, errNoDatabase) {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	var unsaved []*store.Hit
	searched := map[string]bool{}
	err = readOutAll(ctx, a, db, q.Filter, func(info *store.Info, all iter.Seq2[*session.Entry, error]) error {
		entries, err := collect(all)
		if err != nil {
			return err
		}
		found, err := store.SearchEntries(ctx, q, info, entries)
		unsaved, searched[info.ID] = append(unsaved, found...), true
		return err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	if labels, hits, err = db.SearchAll(ctx, q); err != nil {
		return nil, nil, nil, err
	}
	hits = slices.DeleteFunc(hits, func(h *store.Hit) bool { return searched[h.Session.ID] })
	hits = append(unsaved, hits...)
	hits = hits[:min(len(hits), q.Filter.Limit-len(labels))]
	ids, err := db.IDs(ctx)
	return labels, hits, newShortIDs(ids), err
}

// hitItem is a hit in the search's JSON. Marks are what matched: from and to, in bytes of the
// snippet.
type hitItem struct {
	Ref     string         `json:"ref"` // for show
	Snippet string         `json:"snippet"`
	Marks   [][2]int       `json:"marks"`
	Entry   *session.Entry `json:"entry,omitempty"` // none: the session's title, note or tags matched
	Session listItem       `json:"session"`
}

func writeHitsJSON(w io.Writer, labels []*store.LabelHit, hits []*store.Hit, short shortIDs, sockets map[string]string) error {
	items := make([]hitItem, 0, len(labels)+len(hits))
	for _, hit := range labels {
		marks := append([][2]int{}, hit.Snippet.Marks...)
		items = append(items, hitItem{short.of(hit.Session.ID), hit.Snippet.Text, marks, nil, newListItem(hit.Session, sockets)})
	}
	for _, hit := range hits {
		marks := append([][2]int{}, hit.Snippet.Marks...)
		items = append(items, hitItem{hitRef(hit, short), hit.Snippet.Text, marks, hit.Entry, newListItem(hit.Session, sockets)})
	}
	return cli.WriteJSON(w, items)
}

func hitRef(hit *store.Hit, short shortIDs) string {
	return fmt.Sprintf("%s#%d", short.of(hit.Session.ID), hit.Entry.Seq)
}

// writeLabelHit writes a session whose title, note or tags matched.
func writeLabelHit(b *strings.Builder, a *app, hit *store.LabelHit, short shortIDs, now time.Time) {
	s := a.colours()
	when := hit.Session.StartedAt.Local().Format("2006-01-02 15:04")
	if isTerminal(a.stdout) {
		when = dayName(hit.Session.StartedAt.Local(), now)
	}
	fmt.Fprintf(b, "%s  %s  %s\n%s%s\n", s.paint(yellow, short.of(hit.Session.ID)), when, s.paint(cyan, "session"), snippetIndent, marked(hit.Snippet, s))
}

// writeHit writes a hit in two lines: its place, and its text.
func writeHit(b *strings.Builder, a *app, hit *store.Hit, short shortIDs, now time.Time) {
	s := a.colours()
	when := hit.Entry.At.Local().Format("2006-01-02 15:04")
	if isTerminal(a.stdout) {
		when = dayName(hit.Entry.At.Local(), now)
	}
	speaker := hit.Entry.Role
	if speaker == session.RoleAssistant && hit.Entry.Agent != "" {
		speaker = hit.Entry.Agent
	}
	head := fmt.Sprintf("%s  %s  %s", s.paint(yellow, hitRef(hit, short)), when, s.paint(cyan, printable.Line(speaker)))
	if text := titleOf(hit.Session); !strings.HasPrefix(hit.Entry.Text, strings.TrimSuffix(text, "…")) {
		head += s.paint(dim, "  in "+printable.Clip(text, 60))
	}
	text := marked(hit.Snippet, s)
	if width := a.width(); width > 0 {
		head = ansi.Truncate(head, width, "…")
		text = ansi.Wrap(text, max(10, width-len(snippetIndent)), "")
	}
	fmt.Fprintf(b, "%s\n%s%s\n", head, snippetIndent, strings.ReplaceAll(text, "\n", "\n"+snippetIndent))
}

const snippetIndent = "    "

// marked returns a snippet with its matches coloured, or in brackets if colours are off.
func marked(sn store.Snippet, s style) string {
	var b strings.Builder
	at := 0
	for _, m := range sn.Marks {
		b.WriteString(printable.Text(sn.Text[at:m[0]]))
		if word := printable.Text(sn.Text[m[0]:m[1]]); s {
			b.WriteString(s.paint(match, word))
		} else {
			b.WriteString("[" + word + "]")
		}
		at = m[1]
	}
	b.WriteString(printable.Text(sn.Text[at:]))
	return b.String()
}
