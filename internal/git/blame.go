package git

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Line is the origin of a line of a file.
type Line struct {
	Commit string    // empty if it is not committed
	At     time.Time // time of the commit
}

// BlameLine returns the origin of a line of a file, counted from 1. The error wraps ErrUnanswered,
// also if the file is not in a repository.
func BlameLine(ctx context.Context, file string, line int) (Line, error) {
	dir := filepath.Dir(file)
	if !Inside(dir) {
		return Line{}, fmt.Errorf("%w: no repository", ErrUnanswered)
	}
	off, err := filters(ctx, dir)
	if err != nil {
		return Line{}, err
	}
	at := strconv.Itoa(line)
	text, err := ask(ctx, dir, append(off, "blame", "--porcelain", "--no-textconv", "-L", at+","+at, "--",
		filepath.Base(file))...)
	if err != nil {
		return Line{}, fmt.Errorf("%w: %w", ErrUnanswered, err)
	}
	var l Line
	l.Commit, _, _ = strings.Cut(text, " ")
	if !isID(l.Commit) {
		return Line{}, ErrUnanswered
	}
	if strings.Trim(l.Commit, "0") == "" {
		return Line{}, nil
	}
	for row := range strings.Lines(text) {
		if seconds, ok := strings.CutPrefix(row, "committer-time "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64)
			if err != nil {
				return Line{}, ErrUnanswered
			}
			l.At = time.Unix(n, 0)
			return l, nil
		}
	}
	return Line{}, ErrUnanswered
}

// Root returns the root of the work tree that contains dir, or dir itself.
func Root(ctx context.Context, dir string) string {
	text, err := ask(ctx, dir, "rev-parse", "--show-toplevel")
	if root := strings.TrimSuffix(text, "\n"); err == nil && filepath.IsAbs(root) {
		return root
	}
	return dir
}
