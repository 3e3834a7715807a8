package process_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/process"
	"github.com/ptyrec/ptyrec/internal/testkit"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// serverVariable makes this test binary a server: it starts a command, or finds it, and writes its
// chunks from an offset on as JSON lines.
const serverVariable = "PTYREC_TEST_SERVER"

type serverOrder struct {
	DB, Command string
	From        process.Offsets
}

func serveTest(text string) error {
	var o serverOrder
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx := context.Background()
	s, err := sqlite.Open(ctx, o.DB)
	if err != nil {
		return err
	}
	m, err := process.Open(ctx, process.Options{Store: s, Program: "/proc/self/exe"})
	if err != nil {
		return err
	}
	c, _, err := m.Start(ctx, process.Spec{Sandbox: "box", ID: "once", Command: o.Command, CloseStdin: true})
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for chunk, err := range c.Read(ctx, o.From) {
		if err != nil {
			return err
		}
		if err := out.Encode(chunk); err != nil {
			return err
		}
	}
	info, err := c.Wait(ctx)
	if err != nil {
		return err
	}
	return out.Encode(map[string]any{"Code": info.ExitCode})
}

// The server is killed and started again in the midst of a stream, ten times.
func TestFaultServerKilled(t *testing.T) {
	b := newBench(t)
	runs := filepath.Join(t.TempDir(), "runs")
	x := &text{t: t}
	o := serverOrder{DB: b.db, Command: "echo run >>" + runs +
		"; for i in $(seq 1 20000); do echo line $i; echo err $i >&2; done; exit 9"}
	code := 0
	for kill := 1; code == 0; kill++ {
		o.From = x.at
		order, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), serverVariable+"="+string(order))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for n := 0; lines.Scan() && (n < 3*kill || kill > 10); n++ {
			var c struct {
				process.Chunk
				Code int
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				break // it was cut off
			}
			if code = c.Code; code == 0 {
				x.take(c.Chunk)
			}
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	var out, errs strings.Builder
	for i := 1; i <= 20000; i++ {
		fmt.Fprintf(&out, "line %d\n", i)
		fmt.Fprintf(&errs, "err %d\n", i)
	}
	if x.out.String() != out.String() || x.err.String() != errs.String() || code != 9 {
		t.Errorf("%d and %d bytes, exit code %d", x.out.Len(), x.err.Len(), code)
	}
	if text, err := os.ReadFile(runs); string(text) != "run\n" {
		t.Errorf("the command ran: %q, %v", text, err)
	}
}

// 10 MB of binary output are the same text with and without cuts.
func TestFaultBinaryWithCuts(t *testing.T) {
	size := 2 << 20
	if long() {
		size = 10 << 20
	}
	data := make([]byte, size)
	random := rand.NewChaCha8([32]byte{14})
	_, _ = random.Read(data)
	name := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	want := session.Text(data)
	b := newBench(t)
	c := b.start(process.Spec{Command: "cat " + name, CloseStdin: true})
	whole, _, _ := b.output(c)
	if whole != want {
		t.Errorf("without cuts: %s, want %s", sum(whole), sum(want))
	}
	c = b.start(process.Spec{Command: "cat " + name, CloseStdin: true})
	x := &text{t: t}
	for cut := 0; ; cut++ {
		left := 1 + int(random.Uint64()%64)
		if x.read(t.Context(), c, func() bool { left--; return left == 0 }) {
			break
		}
	}
	if x.out.String() != want {
		t.Errorf("with cuts: %s, want %s", sum(x.out.String()), sum(want))
	}
}

// A thousand disconnects of one command.
func TestFaultDisconnects(t *testing.T) {
	cuts := 100
	if long() {
		cuts = 1000
	}
	b := newBench(t)
	c := b.start(process.Spec{Command: "for i in $(seq 1 30000); do echo $i; echo $i >&2; done; exit 5", CloseStdin: true})
	x := &text{t: t}
	for cut := 0; ; cut++ {
		n := 0
		if x.read(t.Context(), c, func() bool { n++; return n > 1 && cut < cuts }) {
			break
		}
	}
	var want strings.Builder
	for i := 1; i <= 30000; i++ {
		fmt.Fprintf(&want, "%d\n", i)
	}
	if x.out.String() != want.String() || x.err.String() != want.String() || c.Info().ExitCode != 5 {
		t.Errorf("%d and %d bytes, want %d; %+v", x.out.Len(), x.err.Len(), want.Len(), c.Info())
	}
}

// A reader that stops holds up nobody, and gets all of it later.
func TestFaultReaderStops(t *testing.T) {
	size := 30_000_000
	if long() {
		size = 1_000_000_000
	}
	b := newBench(t)
	c := b.start(process.Spec{Command: fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", size), CloseStdin: true})
	n, ended := 0, make(chan bool)
	for chunk, err := range c.Read(t.Context(), process.Offsets{}) {
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Info != "" || chunk.Offset != int64(n) {
			t.Fatalf("at %d: %d %s", n, chunk.Offset, chunk.Info)
		}
		if n == 0 {
			go func() { defer close(ended); _, _, _ = b.output(c) }()
			<-ended // the reader stops until another one has all
		}
		n += len(chunk.Text)
	}
	if n != size {
		t.Errorf("%d bytes, want %d", n, size)
	}
}

// Somebody locks the database for a while.
func TestFaultDatabaseLocked(t *testing.T) {
	b := newBench(t)
	other, err := sql.Open("sqlite", "file:"+b.db)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	conn, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(t.Context(), "BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	c := b.start(process.Spec{ID: "locked", Command: "echo one; read line; echo $line; exit 2"})
	if err := c.Write(t.Context(), []byte("two\n")); err != nil {
		t.Fatal(err)
	}
	if out, _, info := b.output(c); out != "one\ntwo\n" || info.ExitCode != 2 {
		t.Errorf("%q %+v", out, info)
	}
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	b.close()
	b.open()
	again, existed, err := b.Start(t.Context(), process.Spec{Sandbox: "box", ID: "locked", Command: "echo again"})
	if err != nil || !existed || again.Info().ExitCode != 2 {
		t.Errorf("afterwards: %v, %v, %+v", existed, err, again)
	}
}

// The disk is full. The command goes on, and whoever reads it is told.
func TestFaultDiskFull(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=6m"); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	defer func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }()
	b := newBench(t)
	b.close()
	b.db = filepath.Join(disk, "db")
	b.open()
	c := b.start(process.Spec{Command: "head -c 30000000 /dev/zero | tr '\\0' x; echo end >&2; exit 6", CloseStdin: true})
	told, errs := false, ""
	for chunk, err := range c.Read(t.Context(), process.Offsets{}) {
		if err != nil {
			t.Fatal(err)
		}
		told = told || chunk.Info != ""
		if chunk.Stream == process.Stderr {
			errs += chunk.Text
		}
	}
	if info, err := c.Wait(t.Context()); err != nil || info.ExitCode != 6 || info.State != process.Exited ||
		errs != "end\n" || !told {
		t.Errorf("%+v, %v; stderr %q, told: %v", info, err, errs, told)
	}
}

// Kill reaches what has left the process group and the session.
func TestKillEndsTheTree(t *testing.T) {
	b := newBench(t)
	for name, kill := range map[string]func(*process.Command) error{
		"at once":    func(c *process.Command) error { return c.Kill(t.Context(), process.Kill, 0) },
		"with grace": func(c *process.Command) error { return c.Kill(t.Context(), syscall.SIGTERM, 300*time.Millisecond) },
	} {
		dir := t.TempDir()
		c := b.start(process.Spec{CloseStdin: true,
			Command: "cd " + dir + "; (trap '' TERM; setsid sh -c 'echo $$ >a.new; mv a.new a; exec sleep 600') & " +
				"setsid sh -c 'trap \"\" TERM; echo $$ >b.new; mv b.new b; while :; do sleep 1; done' & (sh -c 'echo $$ >c.new; " +
				"mv c.new c; exec sleep 600' &) ; sleep 600"})
		var pids []int
		for _, file := range []string{"a", "b", "c"} {
			var pid int
			testkit.Eventually(t, "there is a process id", func() bool {
				if text, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
					_, _ = fmt.Sscan(string(text), &pid)
				}
				return pid != 0
			})
			pids = append(pids, pid)
		}
		if err := kill(c); err != nil {
			t.Fatal(err)
		}
		if info, err := c.Wait(t.Context()); err != nil || info.State != process.Killed || info.ExitCode < 128 {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
		for _, pid := range pids {
			if err := syscall.Kill(pid, 0); err == nil {
				t.Errorf("%s: process %d is alive", name, pid)
			}
		}
	}
}

// A command can trap signals that serve was started to ignore, as by nohup.
func TestIgnoredSignalsEscalate(t *testing.T) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT)
	defer signal.Reset(syscall.SIGHUP, syscall.SIGINT)
	b := newBench(t)
	c := b.start(process.Spec{CloseStdin: true, Command: "trap 'exit 6' HUP; kill -HUP $$; exit 7"})
	if info, err := c.Wait(t.Context()); err != nil || info.ExitCode != 6 {
		t.Errorf("%+v, %v", info, err)
	}
	c = b.start(process.Spec{CloseStdin: true, Command: "kill -INT $$; exit 7"})
	if info, err := c.Wait(t.Context()); err != nil || info.ExitCode != 130 {
		t.Errorf("%+v, %v", info, err)
	}
}

// Time limits, apart from exit codes, also after a restart of the server.
func TestLimitsOfCommands(t *testing.T) {
	b := newBench(t)
	for id, s := range map[process.State]process.Spec{
		process.TimedOut: {Timeout: 50 * time.Millisecond},
		process.IdledOut: {IdleTimeout: 50 * time.Millisecond},
	} {
		s.ID, s.Command = string(id), "exec sleep 600"
		c := b.start(s)
		for range 2 {
			if info, err := c.Wait(t.Context()); err != nil || info.State != id || info.ExitCode != 137 {
				t.Errorf("%s: %+v, %v", id, info, err)
			}
			b.close()
			b.open()
			var err error
			if c, err = b.Get(t.Context(), "box", s.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := b.start(process.Spec{ID: "disconnect", Command: "exec sleep 600", KillOnDisconnect: true})
	c.Attach()()
	if info, err := c.Wait(t.Context()); err != nil || info.State != process.Killed {
		t.Errorf("after the disconnect: %+v, %v", info, err)
	}
	c = b.start(process.Spec{ID: "ttl", Command: "true", TTL: time.Millisecond})
	if _, err := c.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the id expires", func() bool {
		_, err := b.Get(t.Context(), "box", "ttl")
		return err != nil
	})
	if _, existed, err := b.Start(t.Context(), process.Spec{Sandbox: "box", ID: "ttl", Command: "true"}); existed ||
		err == nil {
		t.Errorf("an expired id runs again: %v, %v", existed, err)
	}
}

// The list, and ids that are free again.
func TestListOfCommands(t *testing.T) {
	b := newBench(t)
	for i := range 3 {
		c := b.start(process.Spec{ID: fmt.Sprint("p", i), Command: "exit 1", Listed: true, AutoCleanup: i == 2,
			CloseStdin: true})
		if _, err := c.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	await := func(want int) {
		t.Helper()
		testkit.Eventually(t, fmt.Sprintf("%d are listed", want), func() bool {
			infos, err := b.List(t.Context(), "box")
			if err != nil {
				t.Fatal(err)
			}
			return len(infos) == want
		})
	}
	await(2)
	b.close()
	b.open()
	await(2)
	if n, err := b.Cleanup(t.Context(), "box"); n != 2 || err != nil {
		t.Errorf("cleanup: %d, %v", n, err)
	}
	for range 2 {
		await(0)
		if _, err := b.Get(t.Context(), "box", "p1"); err == nil {
			t.Error("a forgotten command is found")
		}
		b.close()
		b.open()
	}
	c, existed, err := b.Start(t.Context(), process.Spec{Sandbox: "box", ID: "p1", Command: "echo anew; exit 2",
		Listed: true, CloseStdin: true})
	if existed || err != nil {
		t.Fatalf("after cleanup: %v, %v", existed, err)
	}
	if out, _, info := b.output(c); out != "anew\n" || info.ExitCode != 2 {
		t.Errorf("%q %+v", out, info)
	}
	if _, existed, err := b.Start(t.Context(),
		process.Spec{Sandbox: "box", ID: "p1", Command: "echo again"}); !existed || err != nil {
		t.Errorf("again: %v, %v", existed, err)
	}
	if infos, err := b.store.Sessions(t.Context(), store.Filter{Sandbox: "box"}); err != nil || len(infos) != 4 {
		t.Errorf("%d recordings, want 4; %v", len(infos), err)
	}
}
