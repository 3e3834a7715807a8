package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ptyrec/ptyrec/internal/detached"
	"github.com/ptyrec/ptyrec/internal/nice"
	"github.com/ptyrec/ptyrec/internal/retention"
)

// lowestPriority is that of the process that applies the retention.
const lowestPriority = 19

// retain starts a process that deletes what the configuration does not keep, if none did within a
// day. It does not wait for it. A database that is named by --db is left alone: it may be an
// archive.
func (a *app) retain() {
	if a.retained || a.dbFlag != "" {
		return
	}
	a.retained = true
	c, err := a.loadConfig()
	if err != nil {
		return // the command itself says so if it needs the configuration
	}
	policy, err := c.Retention.Policy()
	path, pathErr := a.dbPath()
	program := detached.Program()
	if err != nil || pathErr != nil || program == "" || !policy.Due(path, retention.Now()) {
		return
	}
	cmd := &exec.Cmd{Path: program, Args: []string{"ptyrec", "prune", "--retention"}, Env: detached.WithoutSession(a.environ), Dir: filepath.Dir(path)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Start() != nil {
		return // tomorrow, perhaps
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, lowestPriority)
	go func() { _ = cmd.Wait() }() // for as long as we live
}

// applyRetention is what the process does that retain has started.
func applyRetention(ctx context.Context, a *app) error {
	nice.Lock()
	a.retained = true
	c, err := a.loadConfig()
	if err != nil {
		return err
	}
	policy, err := c.Retention.Policy()
	if err != nil || policy.IsZero() {
		return err
	}
	db, err := a.openExisting(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(retention.Stamp(db.Path())), 0o700); err != nil {
		return err
	}
	_, err = policy.Apply(ctx, db, retention.Now())
	return err
}
