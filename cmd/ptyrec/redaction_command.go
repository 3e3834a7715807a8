package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/redact"
)

// argumentRule is the rule of a secret that is one for where it stands, whatever it looks like.
const argumentRule = "argument"

var (
	// secretFlag is a flag that takes a secret; secretVariable an assignment of one, as for env(1).
	secretFlag     = regexp.MustCompile(`(?i)^--?(?:[a-z0-9]+[-_])*(?:password|passwd|passphrase|secret|token|api-?_?key|credentials?|auth)$`)
	secretVariable = regexp.MustCompile(`(?i)^(?:[a-z0-9]+_)*(?:password|passwd|passphrase|pgpassword|secret|token|key|credentials?)$`)
)

// command gives a command line as it is recorded: without the secrets in its arguments.
func (r redaction) command(args []string) []string {
	if r.Redactor == nil {
		return args
	}
	out := slices.Clone(args)
	for i, arg := range args {
		if i > 0 && secretFlag.MatchString(args[i-1]) && !strings.HasPrefix(arg, "-") {
			out[i] = redact.Mark(argumentRule)
			continue
		}
		out[i] = r.Text(arg, nil)
		name, value, ok := strings.Cut(arg, "=")
		if ok && value != "" && (secretFlag.MatchString(name) || secretVariable.MatchString(name)) {
			out[i] = name + "=" + redact.Mark(argumentRule)
		}
	}
	return out
}
