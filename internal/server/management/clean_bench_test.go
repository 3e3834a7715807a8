package management

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ptyrec/ptyrec/internal/redact"
)

// Redaction of what a replay sends, in frames as a terminal's output has.
func BenchmarkClean(b *testing.B) {
	r, err := redact.New(redact.Options{})
	if err != nil {
		b.Fatal(err)
	}
	lines, build := &bytes.Buffer{}, &bytes.Buffer{}
	for i := 0; lines.Len() < 1<<20; i++ {
		lines.WriteString("abcdefghijklmnopqrstuvwxyz 0123456789\r\n")
		fmt.Fprintf(build, "\x1b[32mok\x1b[0m   github.com/example/project/internal/pkg%d\t%d.%03ds [no key files]\r\n",
			i%97, i%9, i%1000)
	}
	for name, text := range map[string][]byte{"Lines": lines.Bytes(), "Build": build.Bytes()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				c := newCleaner(r)
				for at := 0; at < len(text); at += 4096 {
					c.add(text[at:min(len(text), at+4096)])
				}
				c.rest()
			}
		})
	}
}
