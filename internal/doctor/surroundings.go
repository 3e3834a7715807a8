package doctor

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/term"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/sys/rundir"
)

// terminal reports what ptyrec detects about the terminal.
func (x *examination) terminal() {
	if !term.IsTerminal(int(x.Stdout.Fd())) && !term.IsTerminal(int(x.Stdin.Fd())) {
		x.say(Note, "terminal", "none here; TERM=%s", os.Getenv("TERM"))
		return
	}
	cols, rows := sys.WindowSize(x.Stdout, x.Stdin)
	x.say(OK, "terminal", "%dx%d, TERM=%s COLORTERM=%s LANG=%s", cols, rows, os.Getenv("TERM"), os.Getenv("COLORTERM"),
		os.Getenv("LANG"))
	if x.Session != "" {
		x.say(Note, "terminal", "this runs in the recorded session %s", x.Session)
	}
}

// leftTime is the minimum age of a temporary file that counts as abandoned.
const leftTime = 24 * time.Hour

// left reports what killed commands have left behind.
func (x *examination) left() {
	killed := rundir.Left()
	for _, dir := range killed {
		if x.Repair && os.Remove(dir) == nil {
			x.say(Mended, "left over", "%s, of a session that was killed", dir)
		} else {
			x.say(Note, "left over", "%s, of a session that was killed; the next session removes it", dir)
		}
	}
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), "ptyrec-*")) // the pattern is valid
	for _, path := range found {
		info, err := os.Lstat(path)
		if err == nil && sys.Owner(info) == os.Geteuid() && time.Since(info.ModTime()) > leftTime &&
			!slices.Contains(append(rundir.Folders(), killed...), path) {
			x.say(Note, "left over",
				"%s is more than a day old: unless the command that made it still runs, it was killed; remove it", path)
		}
	}
}

// agents reports which agents are installed.
func (x *examination) agents() {
	for _, name := range x.Agents {
		path, err := exec.LookPath(name)
		if err != nil {
			x.say(Note, "agent", "%s is not on PATH", name)
			continue
		}
		x.say(OK, "agent", "%s is %s", name, path)
	}
}

// folders examines the folders for the sockets of live sessions.
func (x *examination) folders() {
	folders := rundir.Folders()
	if x.Path != "" {
		folders = append(folders, rundir.Links(x.Path))
	}
	for _, dir := range folders {
		switch err := rundir.Check(dir); {
		case err == nil:
			x.say(OK, "sockets", "%s", dir)
		case errors.Is(err, fs.ErrNotExist):
		case os.Geteuid() == 0 && x.Path != "" && dir == rundir.Links(x.Path) && ofAnother(dir):
			x.say(Note, "sockets", "%s belongs to another user; root's sessions are found without it", dir)
		case advice(dir, err) != "":
			x.say(Bad, "sockets", "%v%s", err, advice(dir, err))
		default:
			x.say(Bad, "sockets", "%v; sessions use another folder, and are found through the database: remove this one, or "+
				"chmod 700 it if it is yours", err)
		}
	}
}
