package detached

import (
	"os"
	"slices"
	"strings"
)

// Variable is the name of the environment variable that tells programs in a session that they are
// recorded. Its value is the session's id.
const Variable = "PTYREC_SESSION"

// privateVariable is the name of the environment variable that makes sessions private, as run
// --private does. In a private session its value is the session's id, like that of Variable.
const privateVariable = "PTYREC_PRIVATE"

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

// IsPrivate reports whether sessions that are started in this environment are private.
func IsPrivate(environ []string) bool { return valueOf(environ, privateVariable) != "" }

// Private returns an environment in which sessions are private.
func Private(environ []string) []string {
	if IsPrivate(environ) {
		return environ
	}
	return append(slices.Clone(environ), privateVariable+"=1")
}

// PrivateEnv returns the variable that makes sessions private elsewhere, if those of this
// environment are.
func PrivateEnv(environ []string) []string {
	if !IsPrivate(environ) {
		return nil
	}
	return []string{privateVariable + "=1"}
}

// RecordedBy returns the id of the session around the programs of an environment, if they want to
// be private and it is not; else "".
func RecordedBy(environ []string) string {
	if id := valueOf(environ, Variable); IsPrivate(environ) && valueOf(environ, privateVariable) != id {
		return id
	}
	return ""
}

// InSession returns the environment of a session's command.
func InSession(environ []string, id string, private bool) []string {
	environ = slices.DeleteFunc(WithoutSession(environ), func(v string) bool {
		return strings.HasPrefix(v, privateVariable+"=")
	})
	environ = append(environ, Variable+"="+id)
	if private {
		environ = append(environ, privateVariable+"="+id)
	}
	return environ
}

// valueOf returns the value of a variable; of the last, if it is there twice.
func valueOf(environ []string, name string) (value string) {
	for _, v := range environ {
		if text, ok := strings.CutPrefix(v, name+"="); ok {
			value = text
		}
	}
	return value
}
