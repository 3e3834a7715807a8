package cli

import (
	"runtime/debug"
)

// BuildVersion returns the version that the go command recorded in a program: the module's version,
// which go install MODULE@VERSION and builds in a clone have; else "devel" and the commit, with
// -dirty if the clone had changes; else "devel". info may be nil.
func BuildVersion(info *debug.BuildInfo) string {
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
