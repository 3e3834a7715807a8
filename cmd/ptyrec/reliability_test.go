package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ptyrec/ptyrec/internal/testkit/ptytest"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// long reports whether the long forms of the tests are asked for.
func long() bool { return os.Getenv("PTYREC_LONG_TESTS") != "" }

// notices counts what ptyrec itself has said on a terminal.
func notices(t testing.TB, u *ptytest.User) int {
	t.Helper()
	u.Drain(t)
	return strings.Count(string(u.Shown()), "ptyrec: ")
}

// wantPrefix wants a raw log that ends on a whole record: it is how the terminal's output begins.
func wantPrefix(t testing.TB, u *ptytest.User, logged []byte) {
	t.Helper()
	if !bytes.HasPrefix(u.Shown(), logged) {
		t.Errorf("the raw log has %d bytes, which are not how the %d of the terminal begin", len(logged), u.Count())
	}
}

// Killed at any moment after its first line, ptyrec leaves a database that opens, and a session
// with all that was written. Before that line, there need not be a session yet.
func TestKilled(t *testing.T) {
	t.Parallel()
	runs := 3
	if long() {
		runs = 100
	}
	var worst time.Duration
	for range runs {
		u, cmd, db := onTerminal(t, "run", "--", "ptyrec-clock")
		for range 1 + rand.IntN(400) {
			u.Await(t, "\n")
		}
		_ = cmd.Process.Kill()
		ptytest.Status(t, cmd)
		info, events := rawLog(t, db)
		if info.Status != store.Interrupted {
			t.Errorf("the session is %s, want %s", info.Status, store.Interrupted)
		}
		logged := bytesOf(session.Output, events)
		wantPrefix(t, u, logged)
		worst = max(worst, lastTime(u.Shown()).Sub(lastTime(logged)))
		for _, args := range [][]string{{"export"}, {"list"}, {"doctor"}} {
			if out, err := command(cmd.Env, args...).CombinedOutput(); err != nil {
				t.Errorf("ptyrec %s: %v\n%s", args[0], err, out)
			}
		}
		if info, _ := rawLog(t, db); info.Unread {
			t.Error("the export did not keep what it read out")
		}
	}
	t.Logf("at most %s of output were lost in %d runs", worst, runs)
}

func command(environ []string, args ...string) *exec.Cmd {
	cmd := exec.Command("ptyrec", args...)
	cmd.Env = environ
	return cmd
}

// clock prints the time without end: a line a time, in nanoseconds since 1970.
func clock() {
	for range time.Tick(3 * time.Millisecond) {
		if _, err := fmt.Println(time.Now().UnixNano()); err != nil {
			os.Exit(1)
		}
	}
}

// lastTime is the last whole line of what clock printed. Before the first, nothing is lost.
func lastTime(output []byte) time.Time {
	lines := strings.Split(string(output), "\r\n")
	for i := len(lines) - 2; i >= 0; i-- {
		if n, err := strconv.ParseInt(lines[i], 10, 64); err == nil {
			return time.Unix(0, n)
		}
	}
	return time.Now()
}

// The database is on a disk that is full for a while, or until the end.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]bool{"for a while": true, "until the end": false} {
		t.Run(name, func(t *testing.T) {
			disk := t.TempDir()
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
				t.Skipf("no small disk: %v", err)
			}
			defer func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }()
			db, filler := filepath.Join(disk, "ptyrec.db"), filepath.Join(disk, "filler")
			u := ptytest.New(t)
			cmd := command(nil, "run", "--", "sh", "-c",
				"stty raw -echo; echo one; head -c 1; head -c 400000 /dev/urandom | base64; echo two; head -c 1; echo three; "+
					"exit 7")
			cmd.Env, _ = env(t)
			cmd.Env = append(cmd.Env, "PTYREC_DB="+db)
			u.Start(t, cmd)
			u.Await(t, "one")
			fill(t, filler)
			u.Type(t, "x")
			u.Await(t, "two")
			if back {
				_ = os.Remove(filler)
			}
			u.Type(t, "x")
			if got := ptytest.Status(t, cmd); got != 7 {
				t.Errorf("status = %d, want 7", got)
			}
			u.Await(t, "three")
			_ = os.Remove(filler)
			info, events, _ := damagedLog(t, db)
			logged := bytesOf(session.Output, events)
			wantPrefix(t, u, logged)
			whole := bytes.HasSuffix(logged, []byte("three\n"))
			if n := notices(t, u); n > 1 || n == 0 && !whole || back && !whole {
				t.Errorf("%d notices, the raw log is whole: %v, the session is %s", n, whole, info.Status)
			}
			if !back && whole {
				t.Error("the disk was not full")
			}
			wantTruth(t, u, cmd.Env, info, int64(len(logged)))
		})
	}
}

// What is on a full disk can be read. Once list, show and search failed there, with "disk I/O error
// (4874)".
func TestFullDiskCanBeRead(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"no database": "", "a database": "echo first"} {
		t.Run(name, func(t *testing.T) {
			disk := t.TempDir()
			if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
				t.Skipf("no small disk: %v", err)
			}
			defer func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }()
			environ, _ := env(t)
			environ = append(environ, "PTYREC_DB="+filepath.Join(disk, "ptyrec.db"))
			if first != "" {
				if out, err := command(environ, "run", "--", "sh", "-c", first).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				fill(t, filepath.Join(disk, "filler"))
			}
			if out, err := command(environ, "run", "--", "sh", "-c",
				"echo first; head -c 6000000 /dev/urandom | base64; exit 7").CombinedOutput(); err == nil {
				t.Fatalf("the disk was not full: %s", out)
			}
			fill(t, filepath.Join(disk, "filler"))
			for _, args := range [][]string{{"list"}, {"show", "last"}, {"search", "first"},
				{"export", "last", "--format", "txt"}} {
				out, err := command(environ, args...).CombinedOutput()
				if err != nil || !strings.Contains(string(out), "first") {
					t.Errorf("%v: %v\n%.500s", args, err, out)
				}
			}
		})
	}
}

// wantTruth wants a notice that says how many bytes are lost, and a doctor that says which. Once
// the message called 3,000,008 bytes lost while 608-862 kB were readable, the exit status was not
// stored, and the doctor said that the recorder was stopped.
func wantTruth(t testing.TB, u *ptytest.User, environ []string, info *store.Info, readable int64) {
	t.Helper()
	output, notice, _ := strings.Cut(strings.ReplaceAll(string(u.Shown()), ptytest.Mark, ""), "ptyrec: ")
	lost := int64(len(output)) - readable
	if got := regexp.MustCompile(`(\d+) bytes of this session are not recorded`).FindStringSubmatch(notice); lost > 0 &&
		(got == nil || got[1] != fmt.Sprint(lost)) {
		t.Errorf("%d bytes are lost, the notice says %q", lost, notice)
	}
	if info.Status != store.Ended || info.ExitCode == nil || *info.ExitCode != 7 {
		t.Errorf("the session is %s, %v, want it to have ended with 7", info.Status, info.ExitCode)
	}
	out, err := command(environ, "doctor").CombinedOutput()
	told := fmt.Sprintf("output bytes %d to %d", readable, len(output))
	if err != nil || lost > 0 && !strings.Contains(string(out), told) ||
		strings.Contains(string(out), "recorder was stopped") {
		t.Errorf("doctor: %v\n%swant %q", err, out, told)
	}
}

// The database is damaged before the session begins: the user is told at the start, and the session
// is kept until the database is repaired. Once nothing was recorded, which was told at the end
// only, and a database that is cut off or has no header was beyond repair.
func TestDatabaseDamagedAtStart(t *testing.T) {
	t.Parallel()
	for name, harm := range damages {
		t.Run(name, func(t *testing.T) {
			environ, db := env(t)
			for range 5 {
				if out, err := command(environ, "run", "--", "seq", "1000").CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			if out, err := command(environ, "list").CombinedOutput(); err != nil { // it takes them in
				t.Fatalf("%v\n%s", err, out)
			}
			whole, err := os.ReadFile(db)
			if err != nil {
				t.Fatal(err)
			}
			harmed := harm(bytes.Clone(whole))
			if err := os.WriteFile(db, harmed, 0o600); err != nil {
				t.Fatal(err)
			}
			u := ptytest.New(t)
			cmd := command(environ, "run", "--", "sh", "-c", "echo hello; exit 7")
			u.Start(t, cmd)
			if got := ptytest.Status(t, cmd); got != 7 {
				t.Errorf("status = %d, want 7", got)
			}
			u.Await(t, "hello")
			before, after, _ := strings.Cut(string(u.Shown()), "hello")
			if strings.Count(before, "ptyrec: ") != 1 || !strings.Contains(before, "recorded next to") ||
				strings.Contains(after, "ptyrec: ") {
				t.Errorf("terminal = %q, want one notice, before the command's output", u.Shown())
			}
			if now, err := os.ReadFile(db); err != nil || !bytes.Equal(now, harmed) {
				t.Errorf("the damaged database was changed: %v", err)
			}
			if out, err := command(environ, "doctor").CombinedOutput(); err == nil ||
				!strings.Contains(string(out), "doctor --repair") {
				t.Errorf("doctor: %v, want it to name --repair\n%s", err, out)
			}
			if out, err := command(environ, "doctor", "--repair").CombinedOutput(); err != nil {
				t.Errorf("doctor --repair: %v\n%s", err, out)
			}
			if kept, err := os.ReadFile(db + ".damaged"); err != nil || !bytes.Equal(kept, harmed) {
				t.Errorf("the damaged database is not kept: %v", err)
			}
			info, events := rawLog(t, db)
			if got := string(bytesOf(session.Output, events)); got != "hello\r\n" || info.ExitCode == nil ||
				*info.ExitCode != 7 {
				t.Errorf("the raw log is %q, the exit status %v", got, info.ExitCode)
			}
			out, err := command(environ, "list", "--json").Output()
			if n := strings.Count(string(out), `"id":`); err != nil || n != 6 {
				t.Errorf("%d sessions, %v, want the 5 old ones and the new one", n, err)
			}
			if out, err := command(environ, "doctor").CombinedOutput(); err != nil {
				t.Errorf("doctor: %v\n%s", err, out)
			}
		})
	}
}

// damages are ways to harm a database, which they return.
var damages = map[string]func(db []byte) []byte{
	"truncated":     func(db []byte) []byte { return db[:len(db)*6/10/4096*4096] },
	"cut in a page": func(db []byte) []byte { return db[:len(db)*6/10/4096*4096+1000] },
	"first 100 bytes": func(db []byte) []byte {
		_, _ = rand.NewChaCha8([32]byte{1}).Read(db[:100])
		return db
	},
	"first page": func(db []byte) []byte {
		clear(db[:4096])
		return db
	},
}

// Somebody empties or replaces the database, or removes its write-ahead log, while a session runs:
// what comes from then on is kept. Once `> DB` ended with "the session is recorded", and nothing
// was.
func TestDatabaseReplaced(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]string{
		"emptied": `: > "$PTYREC_DB"`,
		"replaced": `ptyrec --db "$PTYREC_DB.new" import "$PTYREC_DB.cast" && mv "$PTYREC_DB.new" "$PTYREC_DB" && ` +
			`rm -f "$PTYREC_DB".new-* "$PTYREC_DB-wal" "$PTYREC_DB-shm"`,
		"without its log": `rm "$PTYREC_DB-wal"`,
	} {
		t.Run(name, func(t *testing.T) {
			prompt := `printf '\033]133;A\007$ \033]133;B\007ls\033]133;C\007\r\none\r\n\033]133;D;0\007\033]133;A\007$ ` +
				`\033]133;B\007';`
			u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", "stty raw -echo; "+prompt+" head -c 1; echo two; exit 7")
			u.Await(t, "one")
			until(t, func() bool { info, _ := rawLog(t, db); return info.Messages > 0 }) // the recorder has opened it
			recording := `{"version": 2, "width": 80, "height": 24}` + "\n" + `[0.5, "o", "hello"]` + "\n"
			if err := os.WriteFile(db+".cast", []byte(recording), 0o600); err != nil {
				t.Fatal(err)
			}
			sh := exec.Command("sh", "-c", harm)
			sh.Env = cmd.Env
			if out, err := sh.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			u.Type(t, "x")
			if got := ptytest.Status(t, cmd); got != 7 {
				t.Errorf("status = %d, want 7", got)
			}
			u.Await(t, "next to it")
			info, events, _ := damagedLog(t, db)
			if got := string(bytesOf(session.Output, events)); !strings.HasSuffix(got, "two\n") {
				t.Errorf("the raw log is %q", got)
			}
			if info.Status != store.Ended || info.ExitCode == nil || *info.ExitCode != 7 {
				t.Errorf("the session is %s, %v", info.Status, info.ExitCode)
			}
			if out, err := command(cmd.Env, "doctor").CombinedOutput(); err != nil {
				t.Errorf("doctor: %v\n%s", err, out)
			}
		})
	}
}

// fill takes what room a disk has left.
func fill(t testing.TB, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 64 << 10; size > 0; size /= 16 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
}

// Somebody locks the database, for a while or for longer than the session lasts: nothing is lost,
// and nobody waits.
func TestDatabaseLocked(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]bool{"for a while": true, "until the end": false} {
		t.Run(name, func(t *testing.T) {
			u, cmd, db := onTerminal(t, "run", "--", "sh", "-c",
				"stty raw -echo; echo one; head -c 1; echo two; head -c 1; echo three; exit 7")
			u.Await(t, "one")
			rawLog(t, db) // it is there now
			unlock := lock(t, db)
			defer unlock()
			u.Type(t, "x")
			u.Await(t, "two")
			u.Type(t, "x")
			u.Await(t, "three")
			if back {
				unlock()
			}
			if got := ptytest.Status(t, cmd); got != 7 {
				t.Errorf("status = %d, want 7", got)
			}
			unlock()
			info, events := rawLog(t, db) // opening it takes in what is beside it
			logged := bytesOf(session.Output, events)
			wantPrefix(t, u, logged)
			if n := notices(t, u); n != 0 {
				t.Errorf("%d notices; terminal %q", n, u.Shown())
			}
			if !bytes.HasSuffix(logged, []byte("three\r\n")) && !bytes.HasSuffix(logged, []byte("three\n")) {
				t.Errorf("the raw log is %q", logged)
			}
			if info.Status != store.Ended || info.ExitCode == nil || *info.ExitCode != 7 {
				t.Errorf("the session is %s, %v", info.Status, info.ExitCode)
			}
		})
	}
}

// lock locks a database as a writer that does not end.
func lock(t testing.TB, path string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = tx.Rollback()
		_ = db.Close()
	}
}

// A lock is held for ten minutes: sessions begin, run and end meanwhile as if there were none, and
// are whole when it is gone.
func TestDatabaseLockedForMinutes(t *testing.T) {
	t.Parallel()
	ticks, every := 3, time.Second
	if long() {
		ticks, every = 60, 10*time.Second
	}
	script := fmt.Sprintf("echo begin; for i in $(seq %d); do sleep %d; echo tick $i; done; echo three; exit 7", ticks,
		every/time.Second)
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", script)
	u.Await(t, "begin")
	first, _ := rawLog(t, db)
	unlock := lock(t, db)
	defer unlock()
	locked := time.Now()
	for i := range ticks {
		u.Await(t, fmt.Sprintf("tick %d\r\n", i+1))
	}
	if got := ptytest.Status(t, cmd); got != 7 {
		t.Errorf("status = %d, want 7", got)
	}
	if held, want := time.Since(locked), time.Duration(ticks-1)*every; held < want {
		t.Fatalf("the database was locked for %v, want %v", held, want)
	}
	other := ptytest.New(t)
	short := command(cmd.Env, "run", "--", "sh", "-c", "echo short; exit 8")
	other.Start(t, short)
	if got := ptytest.Status(t, short); got != 8 {
		t.Errorf("status of a session in between = %d, want 8", got)
	}
	unlock()
	between, events := rawLog(t, db)
	wantEnded(t, between, 8)
	if got := string(bytesOf(session.Output, events)); got != "short\r\n" {
		t.Errorf("the raw log of the session in between is %q", got)
	}
	info, events, damage := logOf(t, db, first.ID)
	wantEnded(t, info, 7)
	logged := bytesOf(session.Output, events)
	wantPrefix(t, u, logged)
	if n := notices(t, u) + notices(t, other); damage != nil || n != 0 {
		t.Errorf("damage %v, %d notices; terminals %q, %q", damage, n, u.Shown(), other.Shown())
	}
	if !bytes.HasSuffix(logged, fmt.Appendf(nil, "tick %d\r\nthree\r\n", ticks)) {
		t.Errorf("the raw log is %q", logged)
	}
}

// wantEnded wants a session that has ended with an exit status.
func wantEnded(t testing.TB, info *store.Info, status int) {
	t.Helper()
	if info.Status != store.Ended || info.ExitCode == nil || *info.ExitCode != status {
		t.Errorf("session %s is %s, %v; want the exit status %d", info.ID, info.Status, info.ExitCode, status)
	}
}

// The database is removed: the session does not depend on it.
func TestDatabaseRemoved(t *testing.T) {
	t.Parallel()
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", "echo one; read a; echo two; exit 7")
	u.Await(t, "one")
	rawLog(t, db) // it is there now
	for _, ending := range []string{"", "-wal", "-shm", "-live"} {
		_ = os.Remove(db + ending)
	}
	u.Type(t, "\r")
	u.Await(t, "two")
	if got := ptytest.Status(t, cmd); got != 7 {
		t.Errorf("status = %d, want 7", got)
	}
	info, events := rawLog(t, db)
	if got := string(bytesOf(session.Output, events)); !strings.HasPrefix(got, "one\r\n") ||
		!strings.HasSuffix(got, "two\r\n") {
		t.Errorf("the raw log is %q", got)
	}
	if n := notices(t, u); n != 0 || info.ExitCode == nil || *info.ExitCode != 7 {
		t.Errorf("%d notices, exit status %v", n, info.ExitCode)
	}
}

// The journals are removed while a session runs: it is recorded whole all the same, and the user is
// told once.
func TestJournalsRemoved(t *testing.T) {
	t.Parallel()
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", "echo one; read a; echo two; exit 7")
	u.Await(t, "one")
	if err := os.RemoveAll(sqlite.JournalFolder(db)); err != nil {
		t.Fatal(err)
	}
	u.Type(t, "\r")
	u.Await(t, "two")
	if got := ptytest.Status(t, cmd); got != 7 {
		t.Errorf("status = %d, want 7", got)
	}
	u.Await(t, "written again")
	if n := notices(t, u); n != 1 {
		t.Errorf("%d notices, want 1: %q", n, u.Shown())
	}
	_, events := rawLog(t, db)
	if got := string(bytesOf(session.Output, events)); !strings.HasPrefix(got, "one\r\n") ||
		!strings.HasSuffix(got, "two\r\n") {
		t.Errorf("the raw log is %q", got)
	}
}

// A terminal that does not read holds up the child, and nothing piles up.
func TestTerminalStops(t *testing.T) {
	t.Parallel()
	size := int64(16 << 20)
	if long() {
		size = 100 << 20
	}
	dir := t.TempDir()
	file, pidFile := filepath.Join(dir, "file"), filepath.Join(dir, "pid")
	if err := os.WriteFile(file, bytes.Repeat([]byte("0123456789abcde\n"), int(size/16)), 0o600); err != nil {
		t.Fatal(err)
	}
	u, cmd, _ := onTerminal(t, "run", "--", "sh", "-c", "stty raw; echo $$ > "+pidFile+"; echo ready; exec cat "+file)
	u.Await(t, "ready")
	pid, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	read := func() int64 { return position(string(bytes.TrimSpace(pid))) }
	until(t, func() bool { return read() > size/4 })
	release := u.Hold()
	defer release()
	last, calm := int64(-1), 0
	until(t, func() bool {
		now := read()
		if calm++; now != last {
			last, calm = now, 0
		}
		return calm == 50
	})
	if ahead := last - int64(u.Count()); last < 0 || last == size || ahead > 1<<20 {
		t.Errorf("the child has written %d bytes of %d, %d more than are shown", last, size, ahead)
	}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	t.Logf("memory at its peak:%s", peak)
	release()
	u.AwaitCount(t, int(size)) // Status kills what does not end within a minute
	if got := ptytest.Status(t, cmd); got != 0 {
		t.Errorf("status = %d, want 0", got)
	}
}

// position is how far a process has read its first open file; -1 where that cannot be known.
func position(pid string) int64 {
	info, _ := os.ReadFile("/proc/" + pid + "/fdinfo/3")
	pos := int64(-1)
	_, _ = fmt.Sscanf(string(info), "pos:\t%d", &pos)
	return pos
}

// until looks again and again whether something has come about that tells nobody.
func until(t testing.TB, ok func() bool) {
	t.Helper()
	limit := time.After(time.Minute)
	for range time.Tick(20 * time.Millisecond) {
		if ok() {
			return
		}
		select {
		case <-limit:
			t.Fatal("it does not come about")
		default:
		}
	}
}

// A window that is dragged has many sizes; the last one counts.
func TestManyResizes(t *testing.T) {
	t.Parallel()
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", "echo ready; read a; stty size")
	u.Await(t, "ready")
	for i := range 100 {
		u.Resize(t, 20+i, 10+i%20)
	}
	u.Resize(t, 101, 33)
	until(t, func() bool { _, events := rawLog(t, db); return lastSize(events) == "33 101" })
	u.Type(t, "\r")
	u.Await(t, "33 101")
	if got := ptytest.Status(t, cmd); got != 0 {
		t.Errorf("status = %d, want 0", got)
	}
}

func lastSize(events []session.Event) (size string) {
	for _, e := range events {
		if e.Kind == session.Resize {
			size = fmt.Sprint(e.Rows, " ", e.Cols)
		}
	}
	return size
}

// A window of one cell, a terminal without control sequences, and no stdin: all is as without
// ptyrec.
func TestPoorTerminals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script, before, want string }{
		{name: "one cell", script: `stty size; echo héllo`, want: "1 1\r\nhéllo\r\n"},
		{name: "TERM=dumb", script: `echo $TERM`, before: "TERM=dumb; export TERM;", want: "dumb\r\n"},
		{name: "stdin closed", script: `cat; echo over`, before: "exec <&-;", want: "over\r\n"},
		{name: "stdin empty", script: `cat; echo over`, before: "exec </dev/null;", want: "over\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := ptytest.New(t)
			if tt.name == "one cell" {
				u.Resize(t, 1, 1)
			}
			cmd := exec.Command("sh", "-c", tt.before+`exec ptyrec run -- sh -c "$0"`, tt.script)
			var db string
			cmd.Env, db = env(t)
			u.Start(t, cmd)
			if got := ptytest.Status(t, cmd); got != 0 {
				t.Errorf("status = %d, want 0", got)
			}
			u.Await(t, tt.want)
			if got := string(u.Shown()); got != tt.want {
				t.Errorf("terminal = %q, want %q", got, tt.want)
			}
			_, events := rawLog(t, db)
			if got := string(bytesOf(session.Output, events)); got != tt.want {
				t.Errorf("raw log = %q, want %q", got, tt.want)
			}
			if out, err := command(cmd.Env, "export").CombinedOutput(); err != nil {
				t.Errorf("export: %v\n%s", err, out)
			}
		})
	}
}

// BenchmarkEcho measures from a key to its echo, with ptyrec and without.
func BenchmarkEcho(b *testing.B) {
	for name, args := range map[string][]string{"plain": nil, "ptyrec": {"ptyrec", "run", "--"}} {
		b.Run(name, func(b *testing.B) {
			u := ptytest.New(b)
			args := append(args, "sh", "-c", "stty raw -echo; echo ready; exec cat")
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Env, _ = env(b)
			u.Start(b, cmd)
			u.Await(b, "ready")
			for b.Loop() {
				u.Type(b, "x")
				u.Await(b, "x")
			}
		})
	}
}

// BenchmarkFlood measures 16 MB of text, with ptyrec and without.
func BenchmarkFlood(b *testing.B) {
	file := filepath.Join(b.TempDir(), "file")
	text := bytes.Repeat([]byte("The quick brown fox jumps over the lazy dog 0123456789.\n"), 16<<20/56)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		b.Fatal(err)
	}
	for name, args := range map[string][]string{"plain": {}, "ptyrec": {"ptyrec", "run", "--"}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				u := ptytest.New(b)
				args := append(args, "cat", file)
				cmd := exec.Command(args[0], args[1:]...)
				cmd.Env, _ = env(b)
				u.Start(b, cmd)
				if got := ptytest.Status(b, cmd); got != 0 {
					b.Fatalf("status = %d", got)
				}
			}
		})
	}
}

// A read-only file system holds the database: all that only reads works, while a session is
// recorded by another path, too. Once list, show and export refused.
func TestReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"read out", "unread", "live"} {
		t.Run(state, func(t *testing.T) {
			live := state == "live"
			u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", "echo hello; read a")
			u.Await(t, "hello")
			until(t, func() bool { info, _ := rawLog(t, db); return info.RawBytes > 0 })
			if !live {
				u.Type(t, "\r")
				ptytest.Status(t, cmd)
			}
			if state == "read out" {
				if out, err := command(cmd.Env, "search", "hello").CombinedOutput(); err != nil { // it reads out the entries
					t.Fatalf("%v\n%s", err, out)
				}
			}
			dir := t.TempDir()
			if err := syscall.Mount(filepath.Dir(db), dir, "", syscall.MS_BIND, ""); err != nil {
				t.Skipf("no read-only file system: %v", err)
			}
			defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
			if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				t.Skipf("no read-only file system: %v", err)
			}
			path := filepath.Join(dir, filepath.Base(db))
			for _, args := range [][]string{{"list"}, {"show", "last"}, {"export"}, {"export", "--format", "cast"},
				{"search", "hello"}, {"stats"}, {"screen", "last"}, {"doctor"}} {
				out, err := command(cmd.Env, append([]string{"--db", path}, args...)...).CombinedOutput()
				if live && args[0] == "search" {
					continue // it has nothing of the command until that is over
				}
				if err != nil || args[0] != "stats" && args[0] != "doctor" && !strings.Contains(string(out), "hello") {
					t.Errorf("%v: %v\n%s", args, err, out)
				}
			}
			for _, args := range [][]string{{"rm", "last", "--yes"}, {"rename", "last", "x"}, {"run", "--", "true"},
				{"doctor", "--repair"}} {
				out, err := command(cmd.Env, append([]string{"--db", path}, args...)...).CombinedOutput()
				if err == nil || !live && !strings.Contains(string(out), "cannot be written") {
					t.Errorf("%v: %v\n%s", args, err, out)
				}
			}
			if live {
				u.Type(t, "\r")
				ptytest.Status(t, cmd)
			}
		})
	}
}

// A damaged database does not hide the sessions that only a journal describes.
func TestDamagedDatabaseHidesNoJournal(t *testing.T) {
	t.Parallel()
	u, cmd, db := onTerminal(t, "run", "--", "sh", "-c", "echo hello; read a")
	u.Await(t, "hello")
	until(t, func() bool { info, _ := rawLog(t, db); return info.RawBytes > 0 })
	info, err := os.Stat(db)
	if err != nil {
		t.Fatal(err)
	}
	const header = 100 // its first page begins with it: it is still a database of ours
	f, err := os.OpenFile(db, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, int(info.Size())-header), header); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	u.Type(t, "\r")
	ptytest.Status(t, cmd)
	for _, args := range [][]string{{"list"}, {"show", "last"}, {"search", "hello"}} {
		out, err := command(cmd.Env, args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "damaged") || !strings.Contains(string(out), "hello") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}

// Damage in a later page of the database hides only what is in that page.
func TestDamagedPageHidesNothingElse(t *testing.T) {
	t.Parallel()
	const sessions, page = 60, 4096
	environ, path := env(t)
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.ImportJournals(t.Context(), nil) // what is not imported can be read where it is
	for i := range sessions {
		sess := &session.Session{ID: store.NewID(), Command: []string{"cat", strings.Repeat("long ", 100)},
			StartedAt: time.Unix(int64(i), 0), Cols: 80, Rows: 24}
		if err := s.CreateSession(t.Context(), sess); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	for at := page; at < len(whole); at += page {
		harmed := bytes.Clone(whole)
		copy(harmed[at:], bytes.Repeat([]byte{0xff}, page))
		if err := os.WriteFile(path, harmed, 0o600); err != nil {
			t.Fatal(err)
		}
		infos, err := readDamaged(t, path)
		if err == nil && len(infos) != sessions {
			t.Errorf("page %d: %d of %d sessions, and no error", at/page, len(infos), sessions)
		}
		if err == nil || len(infos) == 0 || lists == 3 {
			continue
		}
		if !errors.Is(err, session.ErrCorrupt) || len(infos) < sessions/2 {
			t.Errorf("page %d: %d of %d sessions, %v", at/page, len(infos), sessions, err)
		}
		lists++
		out, err := command(environ, "list", "--json").Output()
		if n := strings.Count(string(out), `"id":`); err != nil || n != len(infos) {
			t.Errorf("page %d: list --json has %d sessions, want %d, %v", at/page, n, len(infos), err)
		}
		text, err := command(environ, "list").CombinedOutput()
		if n := strings.Count(string(text), " cat long"); err != nil || n != len(infos) ||
			!strings.Contains(string(text), "warning: ") {
			t.Errorf("page %d: list has %d sessions, want %d, %v:\n%s", at/page, n, len(infos), err, text)
		}
	}
	if lists == 0 {
		t.Error("no page made a list incomplete")
	}
}

// readDamaged lists a damaged database; nil and an error if it cannot be opened.
func readDamaged(t testing.TB, path string) ([]*store.Info, error) {
	t.Helper()
	s, err := sqlite.OpenReadOnly(t.Context(), path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Sessions(t.Context(), store.Filter{})
}
