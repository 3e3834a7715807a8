// Package pgtest runs PostgreSQL for tests: one cluster for each test binary, reachable only by a
// unix socket, and an empty database for each test. The cluster ends with the binary, whatever ends
// that.
package pgtest

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// needed is the environment variable that makes tests fail if PostgreSQL is missing.
const needed = "PTYREC_NEED_POSTGRES"

// patience is the time limit for starting the cluster.
const patience = 2 * time.Minute

// cluster is a running PostgreSQL.
type cluster struct {
	dir      string    // contains its data and its socket
	watchdog io.Closer // the cluster ends when this is closed, or when this process ends
	server   *exec.Cmd
	as       *syscall.SysProcAttr

	mu sync.Mutex // guards n
	n  int        // number of databases created so far
}

var start = sync.OnceValues(newCluster)

// New returns the connection string of an empty database, which exists until the test ends. Without
// PostgreSQL the test is skipped, or fails if $PTYREC_NEED_POSTGRES is set.
func New(t testing.TB) string {
	t.Helper()
	c, err := start()
	if err != nil && os.Getenv(needed) == "" {
		t.Skipf("needs PostgreSQL 15: %v", err)
	}
	if err != nil {
		t.Fatalf("no PostgreSQL: %v", err)
	}
	c.mu.Lock()
	c.n++
	name := fmt.Sprintf("test_%d", c.n)
	c.mu.Unlock()
	if err := c.do("CREATE DATABASE " + name + " TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.do("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return c.dsn(name)
}

func (c *cluster) dsn(database string) string {
	return "postgres:///" + database + "?" + url.Values{"host": {c.dir}, "user": {"postgres"}}.Encode()
}

// do executes a statement outside the databases of tests.
func (c *cluster) do(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.dsn("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement)
	return err
}

// program returns the path of one of PostgreSQL's programs. In Debian they are not in $PATH.
func program(name string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err == nil && len(found) > 0 {
		return slices.Max(found), nil
	}
	return exec.LookPath(name)
}

// watched is a script that runs a command until its own input ends, which happens when the test
// binary exits. It then kills the command and removes the folder.
const watched = `dir=$1; shift; trap '' INT TERM HUP; "$@" </dev/null >"$dir/log" 2>&1 & cat >/dev/null; kill -QUIT ` +
	`$!; wait; rm -rf "$dir"`

func newCluster() (*cluster, error) { return newClusterBy(watched) }

func newClusterBy(script string) (*cluster, error) {
	initdb, err := program("initdb")
	if err != nil {
		return nil, err
	}
	postgres, err := program("postgres")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ptyrec-pg-")
	if err != nil {
		return nil, err
	}
	c := &cluster{dir: dir}
	as, err := unprivileged(dir)
	if err == nil {
		err = c.run(as, initdb, postgres, script)
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return c, c.wait()
}

// unprivileged returns the attributes with which to run PostgreSQL, which refuses to run as root,
// and makes it the owner of the folder.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	as := &syscall.SysProcAttr{Setpgid: true} // protect it from Ctrl+C
	if os.Getuid() != 0 {
		return as, nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(who.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(who.Gid)
	if err != nil {
		return nil, err
	}
	as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return as, os.Chown(dir, uid, gid)
}

// run creates the cluster and starts the server by a script. It does not wait until the server
// accepts connections.
func (c *cluster) run(as *syscall.SysProcAttr, initdb, postgres, script string) error {
	if err := c.command(as, initdb, "-D", filepath.Join(c.dir, "data"), "-U", "postgres", "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"); err != nil {
		return err
	}
	return c.startBy(as, postgres, script)
}

// command runs one of PostgreSQL's programs to its end.
func (c *cluster) command(as *syscall.SysProcAttr, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr, cmd.Dir = as, c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, out)
	}
	return nil
}

// startBy starts the server by a script.
func (c *cluster) startBy(as *syscall.SysProcAttr, postgres, script string) error {
	c.server, c.as = exec.Command("sh", "-c", script, "watched", c.dir, postgres, "-D", filepath.Join(c.dir, "data"),
		"-c", "listen_addresses=", "-c", "unix_socket_directories="+c.dir,
		"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "shared_buffers=32MB", "-c", "max_connections=60", "-c",
		"timezone=UTC"), as
	return c.start()
}

// start starts the server.
func (c *cluster) start() error {
	server := exec.Command(c.server.Path, c.server.Args[1:]...)
	server.SysProcAttr, server.Dir = c.as, c.dir
	input, err := server.StdinPipe()
	if err != nil {
		return err
	}
	c.server, c.watchdog = server, input
	return server.Start()
}

// wait waits until the server accepts connections.
func (c *cluster) wait() error {
	for late := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := c.do("SELECT 1")
		if err == nil || time.Now().After(late) {
			return err
		}
	}
}
