package redact_test

import (
	"fmt"
	"strings"
	"testing"
)

// Rows of a table are masked however far they are below its heading, and none below its end.
func TestTableLongerThanSearchedAtOnce(t *testing.T) {
	r := newRedactor(t)
	chunks := []string{"$ cat passwords.csv\r\n", "name,url,username,password\r\n"}
	for i := range 20000 { // 1 MB
		row := fmt.Sprintf("site%05d,https://host%05d.acme.io/login,anna,pw%05dx!\r\n", i, i, i)
		chunks = append(chunks, row[:i%len(row)], row[i%len(row):])
	}
	chunks = append(chunks, "$ cat log\r\n")
	end := len(chunks)
	for range 10000 {
		chunks = append(chunks, "a,b,c,d1234567!\r\n")
	}
	masked, _ := mask(r, chunks...)
	if table := strings.Join(masked[:end], ""); strings.Contains(table, "x!") {
		t.Errorf("passwords are left from byte %d on", strings.Index(table, "x!"))
	}
	if below := strings.Join(masked[end:], ""); strings.Contains(below, "*") {
		t.Error("what is below the table is masked")
	}
}
