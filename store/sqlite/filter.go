package sqlite

import (
	"strings"

	"github.com/ptyrec/ptyrec/store"
)

// allSessions is the condition that selects all sessions.
const allSessions = "true"

// fieldConditions are the conditions for a filter's fields on the table s. Each ? is the field's
// value; a Position has two.
var fieldConditions = map[string]string{
	"agent":   "EXISTS (SELECT 1 FROM json_each(s.agents) WHERE value ->> 'name' = ?)",
	"command": "EXISTS (SELECT 1 FROM json_each(s.command) WHERE instr(value, ?) > 0)",
	"cwd":     "(s.cwd = ? OR substr(s.cwd, 1, length(rtrim(?, '/')) + 1) = rtrim(?, '/') || '/')",
	"tag":     "EXISTS (SELECT 1 FROM json_each(s.tags) WHERE value = ?)",
	"owner":   "false",
	"space":   "false",
	"branch":  "? IN (s.git ->> '$.start.branch', s.git ->> '$.end.branch')",
	"commit": `EXISTS (SELECT 1 FROM json_tree(s.git)
			WHERE (key = 'commit' OR path = '$.commits') AND substr(atom, 1, length(?)) = ?)`,
	"sandbox":   "s.sandbox = ?",
	"outside":   "s.sandbox = ''",
	"processes": "s.sandbox <> ''",
	"since":     "s.started_at >= ?",
	"until":     "s.started_at < ?",
	"live":      "s.ended_at IS NULL", // Sessions removes the interrupted ones
	"unread":    "s.read_end < s.raw_end",
	"id":        "s.id = ?",
	"after":     "(s.started_at, s.pk) < (?, ?)",
}

// whereOf returns the filter as an SQL condition on the table s.
func whereOf(f store.Filter) (string, []any) {
	cond, args := []string{allSessions}, []any(nil)
	for field, value := range f.Given() {
		c := fieldConditions[field.Name]
		cond = append(cond, c)
		if p, ok := value.(store.Position); ok {
			args = append(args, p.StartedAt, p.Key)
			continue
		}
		for range strings.Count(c, "?") {
			args = append(args, value)
		}
	}
	return strings.Join(cond, " AND "), args
}
