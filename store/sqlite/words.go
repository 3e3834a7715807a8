package sqlite

import (
	"errors"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/ptyrec/ptyrec/store"
)

// expression returns the query with its operators for FTS5. Adjacent words are joined by AND.
func expression(q store.Words) string {
	var out []string
	for i, part := range q.Parts {
		if i > 0 && startsTerm(part) && endsTerm(q.Parts[i-1]) {
			out = append(out, "AND")
		}
		out = append(out, part)
	}
	return strings.Join(out, " ")
}

func startsTerm(part string) bool { return part[0] == '"' || part == "(" }
func endsTerm(part string) bool   { return part[0] == '"' || part == ")" }

// allOf returns the query for FTS5 without its operators: all words must match.
func allOf(q store.Words) string {
	var out []string
	for _, part := range q.Parts {
		if part[0] == '"' {
			out = append(out, part)
		}
	}
	return strings.Join(out, " AND ")
}

func isSyntaxError(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_ERROR
}
