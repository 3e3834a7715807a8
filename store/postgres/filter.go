package postgres

import (
	"context"
	"strings"

	"github.com/ptyrec/ptyrec/store"
)

const sandboxOf = "coalesce(s.description ->> 'sandbox', '')"

// fieldConditions are the conditions for a filter's fields on the table s. $1 is the field's value;
// for a Position, $1 is the time and $2 the id.
var fieldConditions = map[string]string{
	"agent":   "EXISTS (SELECT FROM json_array_elements(s.description -> 'agents') AS x WHERE x ->> 'name' = $1)",
	"command": "EXISTS (SELECT FROM json_array_elements_text(s.description -> 'command') AS x WHERE strpos(x, $1) > 0)",
	"cwd":     "(s.cwd = $1 OR starts_with(s.cwd, rtrim($1, '/') || '/'))",
	"tag":     "$1 = ANY (s.tags)",
	"owner":   "s.owner = (SELECT u.id FROM users AS u WHERE u.name = $1)",
	"space":   "s.space = (SELECT p.id FROM spaces AS p WHERE p.name = $1)",
	"branch":  "$1 IN (s.description #>> '{git,start,branch}', s.description #>> '{git,end,branch}')",
	"commit": `(starts_with(s.description #>> '{git,start,commit}', $1)
			OR starts_with(s.description #>> '{git,end,commit}', $1)
			OR EXISTS (SELECT FROM json_array_elements_text(s.description #> '{git,commits}') AS x WHERE starts_with(x, $1)))`,
	"sandbox":   sandboxOf + " = $1",
	"outside":   sandboxOf + " = ''",
	"processes": sandboxOf + " <> ''",
	"since":     "s.started_at >= $1",
	"until":     "s.started_at < $1",
	"live":      "s.live_at > $1", // the argument is liveSince
	"unread":    "false",          // every session here is completely extracted
	"id":        "s.id = $1",
	"after":     "(s.started_at, s.id) < ($1, $2)",
}

// where returns a filter as an SQL condition on the table s. It includes the rights of the viewer.
func where(ctx context.Context, f store.Filter, a *args) string {
	cond := []string{"s.deleted_at IS NULL", visible(ctx, "s", a)}
	for field, value := range f.Given() {
		c, values := fieldConditions[field.Name], []any{value}
		switch v := value.(type) {
		case store.Position:
			values = []any{v.StartedAt, v.ID}
		case bool:
			values = []any{liveSince()}
		}
		var numbers []string
		for n, name := range []string{"$1", "$2"} {
			if strings.Contains(c, name) {
				numbers = append(numbers, name, a.add(values[n]))
			}
		}
		cond = append(cond, strings.NewReplacer(numbers...).Replace(c))
	}
	return strings.Join(cond, " AND ")
}

// chooses reports whether the filter excludes any session.
func chooses(f store.Filter) bool {
	f.Limit, f.After = 0, store.Position{}
	return f != store.Filter{}
}
