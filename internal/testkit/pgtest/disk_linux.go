package pgtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Disk is a small disk that contains a database.
type Disk struct{ dir string }

// NewOnDisk starts a cluster for one test, with an empty database on its own disk of the given size
// in bytes, and returns its connection string. The cluster's write-ahead log is elsewhere, so that
// a full disk does not stop it. The test is skipped if no disk can be mounted.
func NewOnDisk(t testing.TB, size int) (d *Disk, dsn string) {
	t.Helper()
	o, _ := NewOwn(t)
	d = &Disk{filepath.Join(o.c.dir, "disk")}
	err := os.Mkdir(d.dir, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", d.dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size)); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	t.Cleanup(func() {
		o.end()
		if err := syscall.Unmount(d.dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if c := o.c.as.Credential; c != nil {
		err = os.Chown(d.dir, int(c.Uid), int(c.Gid))
	}
	err = errors.Join(err, o.c.do("CREATE TABLESPACE small LOCATION '"+d.dir+"'"),
		o.c.do("CREATE DATABASE small TEMPLATE template0 TABLESPACE small"))
	if err != nil {
		t.Fatal(err)
	}
	return d, o.c.dsn("small")
}

// Fill fills the disk.
func (d *Disk) Fill(t testing.TB) {
	t.Helper()
	f, err := os.OpenFile(d.filler(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for block := make([]byte, 64<<10); err == nil; {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// Free frees space on the disk.
func (d *Disk) Free(t testing.TB) {
	t.Helper()
	if err := os.Remove(d.filler()); err != nil {
		t.Fatal(err)
	}
}

func (d *Disk) filler() string { return filepath.Join(d.dir, "filler") }
