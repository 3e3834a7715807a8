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
		"ptyrec reads asciicasts, typescripts with timing, and ttyrecs; record a session with `ptyrec run`"},
	{session.ErrNewer, "a newer ptyrec wrote it: update ptyrec"},
	{session.ErrCorrupt, "everything before the damage was read; `ptyrec doctor --repair` copies the readable part " +
		"of a damaged database"},
	{session.ErrNotFound, "`ptyrec list` lists the sessions"},
	{session.ErrAmbiguous, "write more of the id"},
	{session.ErrNotDatabase, "name another database with --db FILE, or move this file away"},
	{session.ErrNotWritable, "check the permissions of the database and its folder, or name another with --db FILE"},
	{session.ErrFull, "make room, then try again"},
	{session.ErrBusy, "another program has locked the database; try again"},
	{session.ErrRemoved, "the database was moved or removed; try again to create a new one"},
	{session.ErrNowhere, "mount the disk to which it leads, or remove the link"},
	{session.ErrAway, "try again later, or check the address (GET /api/health answers 200 if the server is up)"},
	{session.ErrForbidden, "`ptyrec login URL` logs in again"},
	{fs.ErrNotExist, "check the name"},
	{fs.ErrPermission, "check the permissions of the file and its folder"},
	{syscall.ENOSPC, "the disk is full: make room, then try again"},
	{syscall.EPIPE, "the program that reads the output has exited"},
}

func hintFor(err error) string {
	for _, h := range hints {
		if errors.Is(err, h.target) {
			return h.hint
		}
	}
	return "see `ptyrec help`"
}
