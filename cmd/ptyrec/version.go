package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// These are set by the Makefile and the release (-ldflags -X). Where they are empty, what Go noted
// of the module and its commit is taken.
var (
	version    string
	commit     string
	commitDate string // RFC 3339
)

func newVersionCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  ptyrec version",
		Args:    operands(0, 0),
		RunE:    func(*cobra.Command, []string) error { return printVersion(a) },
	}
}

func printVersion(a *app) error {
	_, err := fmt.Fprintln(a.stdout, versionLine())
	return err
}

// versionLine says which program this is.
func versionLine() string {
	return fmt.Sprintf("ptyrec %s%s %s %s/%s", versionString(), commitString(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commitString names the commit and its day, as far as the build knows them.
func commitString() string {
	id := cmp.Or(commit, buildSetting("vcs.revision"))
	if id == "" {
		return ""
	}
	day, _, _ := strings.Cut(committed(), "T")
	return " (" + strings.TrimSpace(id[:min(12, len(id))]+" "+day) + ")"
}

// committed is when the commit was made, in RFC 3339; empty where the build does not know.
func committed() string { return cmp.Or(commitDate, buildSetting("vcs.time")) }

func buildSetting(key string) string {
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

func versionString() string {
	if version != "" {
		return version
	}
	info, _ := debug.ReadBuildInfo() // nil in a program built without modules
	return cli.BuildVersion(info)
}
