package teamsync

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/config"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Bytes of the lock next to the database. The process that sends holds sending; the background
// process holds staying.
const (
	sending = 0
	staying = 1
)

// Intervals at which a process checks: for its turn, for a sign that there is something to send,
// and for sessions that are being recorded. Only the first costs more than reading a file's time.
const (
	turnEvery = 100 * time.Millisecond
	signEvery = 5 * time.Second
	liveEvery = time.Minute
	newsEvery = time.Second      // for new entries of live sessions, if they are sent at once
	newsLate  = 20 * time.Second // the same if nothing was written, to report that the sessions are live
)

// lowestPriority is the priority of the background process, as in nice(1).
const lowestPriority = 19

// Limits of the background process (runtime/debug): no one waits for it, and it exists as long as
// sessions are live.
const (
	backgroundGC     = 50       // for debug.SetGCPercent
	backgroundMemory = 24 << 20 // in bytes; beyond it, garbage is collected more often
)

// limitMemory applies the limits, unless the user has set others.
func limitMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(backgroundGC)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(backgroundMemory)
	}
}

// round is the number of sessions to send before the settings are read again.
const round = 20

func lockPath(database string) string { return database + "-sync" }

// openLock opens the lock file.
func openLock(database string) (*os.File, error) {
	return sys.OpenPrivate(lockPath(database))
}

// running reports whether a background process is running.
func running(database string) bool {
	f, err := os.OpenFile(lockPath(database), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return sys.ByteLocked(f, staying)
}

// Start starts a process that sends the sessions of the database at path, or wakes the running one,
// if there is a server and something may be sent. It does not wait, and opens no connection. If the
// process cannot be started, the next command tries again.
func Start(c *config.Config, path, program string, environ []string) {
	if c.Team.Server == "" || program == "" || !c.Redact.Enabled {
		return
	}
	if _, everything, err := Connect(c.Team.Server); err != nil || !everything && len(c.Team.Folders) == 0 {
		return // `ptyrec sync` reports what is missing
	}
	if running(path) {
		now := time.Now()
		_ = os.Chtimes(lockPath(path), now, now) // on an error, the process checks within a minute anyway
		return
	}
	cmd := &exec.Cmd{Path: program, Args: []string{"ptyrec", "--db", path, "sync", "--background"}, Env: environ,
		Dir: filepath.Dir(path)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Start() != nil {
		return
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, lowestPriority)
	go func() { _ = cmd.Wait() }() // ends with this process at the latest
}

// takeTurn waits until no other process sends, and locks others out.
func (o *Options) takeTurn(ctx context.Context) (leave func(), err error) {
	f, err := openLock(o.Database.Path())
	if err != nil {
		return nil, err
	}
	for told := false; sys.LockByte(f, sending) != nil; told = true {
		if !told && !o.Background {
			o.Notice("waiting for another sync to finish")
		}
		if err := pause(ctx, turnEvery); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return func() { _ = f.Close() }, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// background sends what waits, and what will wait, until nothing is left and no session is live
// that may be sent. If another process does that, it returns at once.
func (o *Options) background(ctx context.Context) error {
	limitMemory()
	for {
		f, err := openLock(o.Database.Path())
		if err != nil {
			return err
		}
		if sys.LockByte(f, staying) != nil {
			return f.Close()
		}
		b := background{Options: o, lock: f, refused: map[string]string{}}
		err = b.stay(ctx)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		// A command that has seen the lock held until now has not started a process.
		if left, err := b.left(ctx); err != nil || !left {
			return err
		}
	}
}

// background is the process that runs while sessions are live.
type background struct {
	*Options
	lock    *os.File
	wait    team.Backoff
	refused map[string]string // state of the sessions that the server refused, by id
}

// stay returns when nothing is left to send and no session is live.
func (b *background) stay(ctx context.Context) error {
	for {
		sign := b.sign()
		s, err := b.syncer()
		if err != nil {
			return err // logged out, or the configuration has changed
		}
		more, err := b.sendSome(ctx, s)
		after, passing := team.Passing(err)
		switch {
		case err == nil && more:
			b.wait = team.Backoff{}
			continue
		case passing || errors.Is(err, session.ErrBusy):
			err = pause(ctx, b.wait.Next(after))
		case err == nil:
			var runs bool
			if runs, err = s.Runs(ctx); err == nil && !runs {
				return nil
			}
			if err == nil {
				err = b.idle(ctx, s, sign)
			}
			if after, passing = team.Passing(err); passing || errors.Is(err, session.ErrBusy) {
				err = pause(ctx, b.wait.Next(after))
			}
		}
		if err != nil {
			return err
		}
	}
}

// sign returns the time of the last sign that there may be something to send.
func (b *background) sign() time.Time {
	info, err := b.lock.Stat()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// idle returns at the next sign, or when a session is no longer live. If live sessions are sent, it
// sends their new entries, and returns regularly so that the settings can be read.
func (b *background) idle(ctx context.Context, s *team.Syncer, sign time.Time) error {
	every := signEvery
	if s.Rules.Live {
		every = newsEvery
	}
	next := time.Now().Add(liveEvery)
	var seen written
	var late time.Time
	for b.sign().Equal(sign) {
		if now := writtenAt(b.Database.Path()); s.Rules.Live && (now != seen || time.Now().After(late)) {
			seen, late = now, time.Now().Add(newsLate)
			if err := b.sendNews(ctx, s); err != nil {
				return err
			}
		}
		if err := pause(ctx, every); err != nil {
			return err
		}
		if time.Now().Before(next) {
			continue
		}
		if runs, err := s.Runs(ctx); err != nil || !runs || s.Rules.Live {
			return err
		}
		next = time.Now().Add(liveEvery)
	}
	return nil
}

// written is the modification time and the size of a database's files. If it is unchanged, nothing
// was written.
type written [2]struct {
	at   time.Time
	size int64
}

func writtenAt(database string) (w written) {
	for i, path := range []string{database, database + "-wal"} {
		if info, err := os.Stat(path); err == nil {
			w[i].at, w[i].size = info.ModTime(), info.Size()
		}
	}
	return w
}

// sendNews sends the new entries of live sessions. It returns only temporary errors.
func (b *background) sendNews(ctx context.Context, s *team.Syncer) error {
	infos, err := s.News(ctx)
	if err != nil || len(infos) == 0 {
		return err
	}
	leave, err := b.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if s.Library == nil {
		if s.Library, err = b.Library(b.Database); err != nil {
			return err
		}
	}
	for _, info := range infos {
		if err := s.SendLive(ctx, info); isLater(ctx, err) {
			return err
		}
		b.wait = team.Backoff{}
	}
	return nil
}

// isLater reports whether to stop sending for now after an error.
func isLater(ctx context.Context, err error) bool {
	_, passing := team.Passing(err)
	return passing || ctx.Err() != nil || errors.Is(err, team.ErrRedactionOff) || errors.Is(err, session.ErrBusy)
}

// sendable returns the sessions that wait and were not refused in their current state.
func (b *background) sendable(ctx context.Context, s *team.Syncer) (infos []*store.Info, err error) {
	all, _, err := s.Waiting(ctx)
	for _, info := range all {
		if look, ok := b.refused[info.ID]; !ok || look != s.Look(info) {
			infos = append(infos, info)
		}
	}
	return infos, err
}

// left reports whether something can be sent or is live.
func (b *background) left(ctx context.Context) (bool, error) {
	s, err := b.syncer()
	if err != nil {
		return false, err
	}
	infos, err := b.sendable(ctx, s)
	if err != nil || len(infos) > 0 {
		return len(infos) > 0, err
	}
	return s.Runs(ctx)
}

// sendSome sends some of the waiting sessions, and reports whether there were any. It returns an
// error only if the session may be sent later. Other errors are stored in the state of the session.
func (b *background) sendSome(ctx context.Context, s *team.Syncer) (more bool, err error) {
	leave, err := b.takeTurn(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	if _, _, err := s.Check(ctx, true); err != nil {
		if _, passing := team.Passing(err); passing || ctx.Err() != nil {
			return false, err
		}
	}
	infos, err := b.sendable(ctx, s)
	if err != nil || len(infos) == 0 {
		return false, err
	}
	if s.Library, err = b.Library(b.Database); err != nil {
		return false, err
	}
	for _, info := range infos[:min(round, len(infos))] {
		err := s.Send(ctx, info)
		if isLater(ctx, err) {
			return true, err
		}
		if err != nil {
			b.refused[info.ID] = s.Look(info)
		}
	}
	return true, nil
}
