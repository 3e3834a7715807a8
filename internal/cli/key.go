package cli

import (
	"fmt"
	"strings"
)

// KeyHint says how a key is written.
const KeyHint = `try ctrl+], ctrl+q or ctrl+\`

// ParseKey returns the byte that a key, written ctrl+x or ^x, sends.
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
