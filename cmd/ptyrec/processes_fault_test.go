//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/client"
)

// Faults: serve is killed and started again in the middle of a process's output. Every byte of both
// streams comes once, the exit code is right, and the process runs once.
func TestFaultServeKilledUnderProcess(t *testing.T) {
	t.Parallel()
	environ, _ := liveEnv(t)
	times := 3
	if long() {
		times = 10
	}
	board, to := newSwitchboard(t)
	start := func() (token string, serve *exec.Cmd) {
		url, token, serve := sandboxed(t, environ)
		to.Store(strings.TrimPrefix(url, "http://"))
		return token, serve
	}
	token, serve := start()
	dir := t.TempDir()
	runs, stop := filepath.Join(dir, "runs"), filepath.Join(dir, "stop")
	ctx := t.Context()
	p, err := client.DialProcesses(ctx, "http://"+board.Address, "", client.Options{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	id, err := p.Start(ctx, client.ProcessSpec{ID: "once", Command: fmt.Sprintf(
		`echo x >>%s; i=0; while [ ! -e %s ]; do i=$((i+1)); echo "out $i"; echo "err $i" >&2; sleep .01; done; exit 9`, runs,
		stop)})
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := &counted{}, &counted{}
	code := make(chan int, 1)
	go func() {
		defer close(code)
		for {
			cursor := fmt.Sprintf("%d.%d", stdout.len(), stderr.len())
			for e, err := range p.Output(ctx, id, cursor) {
				switch e := e.(type) {
				case client.Chunk:
					_, _ = map[client.OutputStream]*counted{client.Stdout: stdout,
						client.Stderr: stderr}[e.Stream].Write([]byte(e.Text))
				case client.Exited:
					code <- e.Code
					return
				default:
					if !errors.Is(err, client.ErrLost) { // the server may take long to start
						t.Errorf("%#v, %v", e, err)
						return
					}
				}
			}
		}
	}()
	for range times {
		seen := stdout.len()
		waitFor(t, "output comes", func() bool { return stdout.len() > seen+100 })
		_ = serve.Process.Kill()
		_ = serve.Wait()
		_, serve = start()
	}
	seen := stdout.len()
	waitFor(t, "output comes", func() bool { return stdout.len() > seen+100 })
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := <-code; got != 9 {
		t.Errorf("exit code %d", got)
	}
	for line, c := range map[string]*counted{"out %d\n": stdout, "err %d\n": stderr} {
		want := ""
		for i := 1; len(want) < c.len(); i++ {
			want += fmt.Sprintf(line, i)
		}
		if want != c.text.String() {
			t.Errorf("%d bytes of %q came, and not each line once: %q", c.len(), line, c.tail())
		}
	}
	if text, err := os.ReadFile(runs); string(text) != "x\n" {
		t.Errorf("the process ran %q, %v", text, err)
	}
}
