package store

import (
	"github.com/ptyrec/ptyrec/session"
)

// Used is a session's usage of a model during a quarter of an hour. Every time zone is offset by
// whole quarters.
type Used struct {
	Session       string
	Cwd           string
	session.Usage // At is the start of the quarter
}
