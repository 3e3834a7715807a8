package detached

import (
	"os"
	"slices"
	"strings"
)

// Variable is the name of the environment variable that tells programs in a session that they are
// recorded. Its value is the session's id.
const Variable = "PTYREC_SESSION"

// programName is what this program calls itself when it starts itself, whatever its file is called.
const programName = "ptyrec"

// Program returns the path of this program, or "" if it is not known.
func Program() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

// WithoutSession returns an environment without Variable.
func WithoutSession(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, Variable+"=") })
}
