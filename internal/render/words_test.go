package render

import (
	"strings"
	"testing"
)

func TestDiffSigns(t *testing.T) {
	for text, want := range map[string]string{
		"9 -func version()\n9 +func version()\n10  }":     "-+.",
		"  8   a\n  9 - b\n  9 + c\n+ not numbered":       ".-+.",
		"@@ -1,2 +1,2 @@\n-old\n+new\n same":              ".-+.",
		"-rw-r--r-- 1 dev dev 12 main.go\ndrwx 2 dev dev": "..",
		"- a list\n- of things":                           "..",
		"+1 555 0100":                                     ".",
		// They were red: dates, the context of grep, the list in a file that is written.
		"2026-11-22 started\n2026-11-23 ended": "..",
		"12-context\n13:hit":                   "..",
		" 1 # Todo\n 2\n 3 - check\n 4 - add":  "....",
		"9     -func a()\n9     +func b()":     "-+",
		" 7   - name: a\n 8 -  - b\n 8 +  - c": ".-+",
		" 9 -a\n10 -b\n9 +c":                   "--+",
		" 8 a\n 9 -gone\n 9 b":                 ".-.",
		"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a":    "...-",
		"":                                     ".",
	} {
		var got strings.Builder
		for _, sign := range diffSigns(strings.Split(text, "\n")) {
			if sign == 0 {
				sign = '.'
			}
			got.WriteByte(sign)
		}
		if got.String() != want {
			t.Errorf("%q: %s, want %s", text, got.String(), want)
		}
	}
}
