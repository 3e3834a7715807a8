package archive

import (
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/internal/redact"
)

// argumentRule is the rule for a secret that is recognised by its position among the arguments.
const argumentRule = "argument"

var (
	// secretFlag matches a flag that takes a secret, secretVariable an assignment of one, as for
	// env(1).
	secretFlag = lazy.Regexp(`(?i)^--?(?:[a-z0-9]+[-_])*(?:` +
		`password|passwd|passphrase|secret|token|api-?_?key|credentials?|auth)$`)
	secretVariable = lazy.Regexp(`(?i)^(?:[a-z0-9]+_)*(?:` +
		`password|passwd|passphrase|pgpassword|secret|token|key|credentials?)$`)
)

// Command returns a command line as it is recorded, with the secrets in its arguments replaced.
func (r Redaction) Command(args []string) []string {
	if r.Redactor == nil {
		return args
	}
	out := slices.Clone(args)
	matches := r.Find(strings.Join(args, " ")) // some are secrets because of the arguments before them
	from := 0
	for i, arg := range args {
		at := from
		from += len(arg) + 1
		if cut := cutArgument(arg, at, matches); cut != arg {
			out[i] = r.Text(cut, nil)
			continue
		}
		if i > 0 && secretFlag().MatchString(args[i-1]) && !strings.HasPrefix(arg, "-") {
			out[i] = redact.Mark(argumentRule)
			continue
		}
		out[i] = r.Text(arg, nil)
		name, value, ok := strings.Cut(arg, "=")
		if ok && value != "" && (secretFlag().MatchString(name) || secretVariable().MatchString(name)) {
			out[i] = name + "=" + redact.Mark(argumentRule)
		}
	}
	return out
}

// cutArgument returns an argument with the found secrets replaced. at is the offset of the argument
// in the command line. A password ends with its argument, because the shell has already split the
// arguments.
func cutArgument(arg string, at int, matches []redact.Match) string {
	var b strings.Builder
	done := 0
	for _, m := range matches {
		start, end := max(m.Start-at, done), min(m.End-at, len(arg))
		if start >= end {
			continue
		}
		if m.Rule == redact.CommandRule {
			end = len(arg)
		}
		b.WriteString(arg[done:start] + redact.Mark(m.Rule))
		done = end
	}
	return b.String() + arg[done:]
}
