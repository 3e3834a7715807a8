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
		"":                                                ".",
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
