package store

import (
	"github.com/ptyrec/ptyrec/session"
)

// Used is what a session used of a model in a quarter of an hour, which no time zone parts.
type Used struct {
	Session       string
	Cwd           string
	session.Usage // At is the beginning of the quarter
}
