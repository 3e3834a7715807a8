package team_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ptyrec/ptyrec/client"
	"github.com/ptyrec/ptyrec/internal/cmd/team"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/server"
	teamclient "github.com/ptyrec/ptyrec/internal/team"
	serverteam "github.com/ptyrec/ptyrec/internal/team/teamserver"
	"github.com/ptyrec/ptyrec/internal/testkit/pgtest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store/postgres"
)

// newDatabase returns a database with an admin and an auditor, and their tokens.
func newDatabase(t *testing.T) (db *postgres.Store, admin, auditor string) {
	t.Helper()
	db, err := postgres.Open(t.Context(), pgtest.New(t))
	check(t, err)
	t.Cleanup(func() { _ = db.Close() })
	operator := postgres.As(t.Context(), postgres.Viewer{Operator: true})
	check(t, db.AddUser(operator, "root", postgres.RoleAdmin))
	check(t, db.AddUser(operator, "eve", postgres.RoleAuditor))
	admin, err = db.AddToken(operator, postgres.NewToken{User: "root", Kind: postgres.KindUser})
	check(t, err)
	auditor, err = db.AddToken(operator, postgres.NewToken{User: "eve", Kind: postgres.KindUser})
	check(t, err)
	return db, admin, auditor
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve returns the address of a server of a database.
func serve(t *testing.T, db *postgres.Store) string {
	t.Helper()
	live, err := client.Dial(t.Context(), "", client.Options{Dir: t.TempDir()})
	check(t, err)
	log := slog.New(slog.DiscardHandler)
	push := serverteam.NewPush(db, log)
	h := server.New(server.Options{Store: db, Live: live, Users: serverteam.Users{Store: db}, Log: log,
		Protocols: []server.Protocol{
			{Handlers: push, Access: server.ShowSessions},
			{Handlers: serverteam.NewAdmin(push), Access: server.ShowSessions},
		}})
	t.Cleanup(h.Close)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// The commands do the same to a database and, over HTTP, to its server, and say the same.
func TestCommandsOnDatabaseAndServerAreAlike(t *testing.T) {
	varies := regexp.MustCompile(`ptr_[a-z2-7]{32}|\d{4}-\d\d-\d\d[T ][0-9:.Z]+`)
	run := func(open func(context.Context) (team.Admin, error), line string) string {
		var out bytes.Buffer
		cmd := team.NewAdminCmd(team.AdminOptions{Out: &out, Open: open})
		cmd.SetArgs(strings.Fields(line))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			text := regexp.MustCompile(`^(database \S+: |the server answered 400: )`).ReplaceAllString(err.Error(), "")
			if errors.Is(err, session.ErrForbidden) {
				text = "forbidden"
			}
			return out.String() + "error: " + text
		}
		return varies.ReplaceAllString(out.String(), "VARIES")
	}
	refused := func(open func(context.Context) (team.Admin, error), line string) error {
		cmd := team.NewAdminCmd(team.AdminOptions{Out: io.Discard, Open: open})
		cmd.SetArgs(strings.Fields(line))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		return cmd.ExecuteContext(t.Context())
	}
	direct, _, _ := newDatabase(t)
	behind, admin, auditor := newDatabase(t)
	url := serve(t, behind)
	away, err := teamclient.NewServer("http://127.0.0.1:1", admin) // nobody listens
	check(t, err)
	over := func(token string) func(context.Context) (team.Admin, error) {
		return func(context.Context) (team.Admin, error) {
			s, err := teamclient.NewServer(url, token)
			return team.Remote(s), err
		}
	}
	operator := func(context.Context) (team.Admin, error) { return direct, nil }
	for _, line := range []string{
		"user add ann", "user add bob --auditor", "user add ann", "user add ../x", "user add x --admin --auditor",
		"space add shop", "space add shop", "space member shop ann", "space member shop bob --reader",
		"space member none ann", "space list", "token add --user ann",
		"token add --user ann --push --space shop --name ci --for 90d", "token add --user nobody",
		"token add --user bob --push --space shop",
		"token add", "token add --user ann --for x", "token list", "token rm 3", "token rm 99", "token rm x", "token list",
		"space member shop bob --rm", "space list", "retention set shop 90d", "retention list",
		"retention set none 90d", "retention set shop never", "retention set shop 1.5",
		"retention hold 019aa000-0000-7000-8000-000000000001", "retention release 019aa000-0000-7000-8000-000000000001",
		"retention hold x", "retention hold 019aa000-0000-7000-8000-00000000000f", "retention list",
		"policy add customer CUST-[0-9]+", "policy add x [", "policy list", "policy rm customer", "policy rm customer",
		"user rm bob", "user rm bob", "user list",
	} {
		want, got := run(operator, line), run(over(admin), line)
		// The admin has used its token.
		want, got = regexp.MustCompile(`(?m)^(\d+\troot.*)(unused|VARIES)$`).ReplaceAllString(want,
			"$1"), regexp.MustCompile(`(?m)^(\d+\troot.*)(unused|VARIES)$`).ReplaceAllString(got, "$1")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-database +server):\n%s", line, diff)
		}
	}
	if got := run(over(admin), "audit"); !strings.HasPrefix(got, "error: ") {
		t.Errorf("an admin reads the audit: %s", got)
	}
	if got := run(over(auditor), "user add mallory --admin"); !strings.HasPrefix(got, "error: ") {
		t.Errorf("an auditor adds a user: %s", got)
	}
	if got := run(over(auditor), "audit --since today"); !strings.Contains(got, `"user":"root"`) ||
		!strings.Contains(got, `"about":"bob removed"`) {
		t.Errorf("audit: %s", got)
	}
	for want, err := range map[string]error{ // each says what to do
		"ask an admin":        refused(over(auditor), "user list"),
		"space member":        refused(over(admin), "token add --user eve --push --space shop"),
		"space list":          refused(over(admin), "space member none ann"),
		"choose another name": refused(over(admin), "user add ann"),
	} {
		var told *failure.Error
		if !errors.As(err, &told) || !strings.Contains(told.Hint, want) {
			t.Errorf("%v: its hint lacks %q: %+v", err, want, told)
		}
	}
	if err := refused(func(context.Context) (team.Admin, error) { return team.Remote(away), nil },
		"user list"); !errors.Is(err, session.ErrAway) {
		t.Errorf("the server is away: %v", err)
	}
	if got := run(over("ptr_"+strings.Repeat("a", 32)), "user list"); !strings.HasPrefix(got, "error: ") {
		t.Errorf("a wrong token: %s", got)
	}
}
