package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ptyrec/ptyrec/internal/human/failure"
)

// FlagsFromEnvironment sets the flags that the command line does not set from environment
// variables. A variable's name is prefix and the flag's name in upper case. Lists are separated by
// spaces. The error is a *failure.Error.
func FlagsFromEnvironment(flags *pflag.FlagSet, prefix string) (err error) {
	flags.VisitAll(func(flag *pflag.Flag) {
		name := prefix + strings.ReplaceAll(strings.ToUpper(flag.Name), "-", "_")
		value := os.Getenv(name)
		if flag.Changed || value == "" || err != nil || flag.Name == "help" {
			return
		}
		if flag.Value.Type() == "stringSlice" {
			value = strings.Join(strings.Fields(value), ",")
		}
		if setErr := flags.Set(flag.Name, value); setErr != nil {
			err = &failure.Error{Err: fmt.Errorf("$%s: %w", name, setErr), Misuse: true}
		}
	})
	return err
}
