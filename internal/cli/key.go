package cli

import (
	"fmt"
	"strings"
)

// KeyHint explains how keys are written.
const KeyHint = `try ctrl+], ctrl+q or ctrl+\`

// ParseKey returns the byte that a key sends. The key is written as ctrl+x or ^x.
func ParseKey(name string) (byte, error) {
	text := strings.ToLower(name)
	for _, prefix := range []string{"ctrl+", "ctrl-", "c-", "^"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok && len(rest) == 1 {
			if c := strings.ToUpper(rest)[0]; c >= 'A' && c <= '_' && c != '[' {
				return c & 0x1f, nil
			}
		}
	}
	return 0, fmt.Errorf("%q cannot be used as the detach key", name)
}
