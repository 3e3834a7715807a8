package main

import (
	"fmt"
	"os"
	"strings"
)

// readAccepted reads the keys of conditions that may have no effect from a file. A line is FILE
// FUNC: EXPRESSION; a line that begins with "= " is the reason for those below it.
func readAccepted(path string) (map[string]bool, error) {
	out := map[string]bool{}
	if path == "" {
		return out, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	reason := ""
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "="):
			reason = strings.TrimSpace(line[1:])
		case reason == "":
			return nil, fmt.Errorf("%s:%d: no reason above", path, i+1)
		default:
			out[line] = true
		}
	}
	return out, nil
}
