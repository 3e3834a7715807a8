// Package servetest runs the real `ptyrec serve` for tests and benchmarks, measures it, and starts
// proxies for servers. It works on Linux.
package servetest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Token is the token of the servers.
const Token = "0123456789abcdef"

// programVariable is the environment variable with the path of an existing program.
const programVariable = "PTYREC_TEST_PROGRAM"

// Program returns the path of a ptyrec for a package's tests: the one in $PTYREC_TEST_PROGRAM, or
// one that it builds in dir.
func Program(dir string) (string, error) {
	if program := os.Getenv(programVariable); program != "" {
		return program, nil
	}
	program := filepath.Join(dir, "ptyrec")
	out, err := exec.Command("go", "build", "-o", program, "github.com/ptyrec/ptyrec/cmd/ptyrec").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
}

// Serve is a running server, a separate process.
type Serve struct {
	Address string // 127.0.0.1:port
	PID     int
	db      string
}

// Start starts `ptyrec sandbox` at an address, or at a free port if address is empty. It
// runs until the test ends.
func Start(t testing.TB, program, db, address string, args ...string) *Serve {
	t.Helper()
	if address == "" {
		address = freeAddress(t)
	}
	secret := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(secret, []byte(Token), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := exec.Command(program, append([]string{"--db", db, "sandbox", "--listen", address,
		"--token-file", secret}, args...)...)
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(os.Interrupt)
		_ = serve.Wait()
	})
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return &Serve{Address: address, PID: serve.Process.Pid, db: db}
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("the server does not listen")
		}
	}
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
