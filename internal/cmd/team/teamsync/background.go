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
	"github.com/ptyrec/ptyrec/internal/sys/bytelock"
	"github.com/ptyrec/ptyrec/internal/sys/private"
	"github.com/ptyrec/ptyrec/internal/team"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

// Bytes of the lock beside the database. Whoever holds sending sends sessions; whoever holds
// staying is the process in the background.
const (
	sending = 0
	staying = 1
)

// How often a process looks: for its turn, for a sign that there may be something to send, and for
// sessions that are recorded. Only the first costs more than a look at a file's time.
const (
	turnEvery = 100 * time.Millisecond
	signEvery = 5 * time.Second
	liveEvery = time.Minute
	newsEvery = time.Second      // for what is said in sessions that are recorded, if that is sent at once
	newsLate  = 20 * time.Second // the same where nothing was written: the server is told that they run
)

// lowestPriority is that of the process in the background, as nice(1) has it.
const lowestPriority = 19

// Limits of the process in the background (runtime/debug): nobody waits for it, and it is there as
// long as a session runs.
const (
	backgroundGC     = 50       // garbage in percent of what is in use
	backgroundMemory = 24 << 20 // bytes, from which on it collects more often
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

// round is how many sessions are sent before the settings are read again.
const round = 20

func lockPath(database string) string { return database + "-sync" }

// openLock opens the lock, which one else holds until it is closed.
func openLock(database string) (*os.File, error) {
	return private.Open(lockPath(database))
}

// running reports whether a process in the background sends what there is.
func running(database string) bool {
	f, err := os.OpenFile(lockPath(database), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return bytelock.Locked(f, staying)
}

// Start starts a process that sends the sessions of the database at path, or wakes the one that
// runs, if there is a server to send them to and something may be sent. It does not wait, and
// connects to nothing. If the process cannot be started, another command tries again.
func Start(c *config.Config, path, program string, environ []string) {
	if c.Team.Server == "" || program == "" || !c.Redact.Enabled {
		return
	}
	if _, everything, err := Connect(c.Team.Server); err != nil || !everything && len(c.Team.Folders) == 0 {
		return // `ptyrec sync` says what is missing
	}
	if running(path) {
		now := time.Now()
		_ = os.Chtimes(lockPath(path), now, now) // else it notices within a minute
		return
	}
	cmd := &exec.Cmd{Path: program, Args: []string{"ptyrec", "--db", path, "sync", "--background"}, Env: environ, Dir: filepath.Dir(path)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Start() != nil {
		return
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, lowestPriority)
	go func() { _ = cmd.Wait() }() // for as long as this process lives
}

// takeTurn waits until nobody else sends, and locks the others out.
func (o *Options) takeTurn(ctx context.Context) (leave func(), err error) {
	f, err := openLock(o.Database.Path())
	if err != nil {
		return nil, err
	}
	for told := false; bytelock.Lock(f, sending) != nil; told = true {
		if !told && !o.Background {
			o.Notice("another sync is sending: this one waits for it")
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

// background sends what waits, and what waits later, until nothing is left and no session runs that
// may be sent. Where another process does that already, it does nothing.
func (o *Options) background(ctx context.Context) error {
	limitMemory()
	for {
		f, err := openLock(o.Database.Path())
		if err != nil {
			return err
		}
		if bytelock.Lock(f, staying) != nil {
			return f.Close()
		}
		b := background{Options: o, lock: f, refused: map[string]string{}}
		err = b.stay(ctx)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		// A command that saw the lock until now has started no process.
		if left, err := b.left(ctx); err != nil || !left {
			return err
		}
	}
}

// background is the process that stays while sessions are recorded.
type background struct {
	*Options
	lock    *os.File
	wait    team.Backoff
	refused map[string]string // what sessions looked like that the server refused, by id
}

// stay returns when nothing is left to send and nothing runs.
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

// idle returns at the next sign, or when a session no longer runs that ran before. If sessions are
// sent while they are recorded, it does that, and returns at times for the settings to be read.
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

// written is when a database was written, and how large its files are: while it is the same,
// nothing was said.
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

// sendNews sends what is new in the sessions that are recorded. The error is one that may pass.
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

// isLater reports whether nothing more is sent now after an error.
func isLater(ctx context.Context, err error) bool {
	_, passing := team.Passing(err)
	return passing || ctx.Err() != nil || errors.Is(err, team.ErrRedactionOff) || errors.Is(err, session.ErrBusy)
}

// sendable returns what waits and was not refused as it is.
func (b *background) sendable(ctx context.Context, s *team.Syncer) (infos []*store.Info, err error) {
	all, _, err := s.Waiting(ctx)
	for _, info := range all {
		if look, ok := b.refused[info.ID]; !ok || look != s.Look(info) {
			infos = append(infos, info)
		}
	}
	return infos, err
}

// left reports whether something can be sent or runs.
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

// sendSome sends some of what waits, and reports whether there was something. The error is that of
// a session that may be sent later. Of others that fail only their state says why.
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
