package cli

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/ptyrec/ptyrec/session"
)

// hints are hints for errors that can occur in any command. The first match is used.
var hints = []struct {
	target error
	hint   string
}{
	{session.ErrNotRecording,
		"ptyrec reads asciicasts, typescripts with their timing, and ttyrecs; `ptyrec run` makes sessions of its own"},
	{session.ErrNewer, "a newer ptyrec wrote it: update ptyrec"},
	{session.ErrCorrupt, "what comes before the damage was read; `ptyrec doctor --repair` copies what is left of a " +
		"damaged database"},
	{session.ErrNotFound, "`ptyrec list` shows the sessions"},
	{session.ErrAmbiguous, "write more of the id"},
	{session.ErrNotDatabase, "name another database with --db FILE, or move this file away"},
	{session.ErrNotWritable, "check the permissions of the database and its folder, or name another with --db FILE"},
	{session.ErrFull, "make room, then try again"},
	{session.ErrBusy, "another program holds the database; try again"},
	{session.ErrRemoved, "somebody moved or removed the database"},
	{session.ErrNowhere, "is a disk not mounted? If what it leads to is gone for good, remove the link"},
	{session.ErrAway, "try again later, or check the address: GET /api/health there answers 200 while the server is up"},
	{session.ErrForbidden, "`ptyrec login URL` logs in again"},
	{fs.ErrNotExist, "check the name"},
	{fs.ErrPermission, "check the permissions of the file and its folder"},
	{syscall.ENOSPC, "the disk is full: make room, then try again"},
	{syscall.EPIPE, "the reader of the output went away"},
}

func hintFor(err error) string {
	for _, h := range hints {
		if errors.Is(err, h.target) {
			return h.hint
		}
	}
	return "see `ptyrec help`"
}
