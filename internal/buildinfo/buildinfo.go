// Package buildinfo describes the build of this program.
package buildinfo

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Set by the Makefile and the release (-ldflags -X). If they are empty, Go's build information
// about the module and its commit is used.
var (
	version    string
	commit     string
	commitDate string // RFC 3339
)

// Version returns the version of the program.
func Version() string {
	if version != "" {
		return version
	}
	info, _ := debug.ReadBuildInfo() // nil in a program built without modules
	return moduleVersion(info)
}

// Line returns the program's name, version, commit, compiler and platform.
func Line() string {
	return fmt.Sprintf("ptyrec %s%s %s %s/%s", Version(), commitText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Date returns the time of the commit. If it is unknown, it returns the beginning of 1970, so that
// the same source always has the same date.
func Date() time.Time {
	at, err := time.Parse(time.RFC3339, committed())
	if err != nil {
		at = time.Unix(0, 0)
	}
	return at.UTC()
}

// commitText returns the commit and its date, if known.
func commitText() string {
	id := cmp.Or(commit, setting("vcs.revision"))
	if id == "" {
		return ""
	}
	day, _, _ := strings.Cut(committed(), "T")
	return " (" + strings.TrimSpace(id[:min(12, len(id))]+" "+day) + ")"
}

// committed returns the time of the commit, in RFC 3339, or "" if it is unknown.
func committed() string { return cmp.Or(commitDate, setting("vcs.time")) }

// setting returns a setting of the build, or "".
func setting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// moduleVersion returns the version that the go command recorded in a program: the module's
// version, which go install MODULE@VERSION and builds in a clone have; else "devel" with the
// commit, and -dirty if the clone had changes; else "devel". info may be nil.
func moduleVersion(info *debug.BuildInfo) string {
	if info == nil {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = "-" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	return "devel" + commit + dirty
}
