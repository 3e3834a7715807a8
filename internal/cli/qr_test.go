package cli_test

import (
	"strings"
	"testing"

	"rsc.io/qr"

	"github.com/ptyrec/ptyrec/internal/cli"
)

// The cells hold the modules of the code, and nothing else.
func TestQR(t *testing.T) {
	const text = "http://192.168.1.5:7681/#token=RSY2SI3IEVNA3UZXDBLDQ5EBAK"
	rows, width, err := cli.QR(text)
	if err != nil {
		t.Fatal(err)
	}
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		t.Fatal(err)
	}
	if width != code.Size+4 || len(rows) != (code.Size+5)/2 {
		t.Fatalf("%d columns and %d rows for %d modules", width, len(rows), code.Size)
	}
	for i, row := range rows {
		row = strings.TrimSuffix(strings.TrimPrefix(row, "\x1b[38;5;16;48;5;231m"), "\x1b[m")
		if len([]rune(row)) != width {
			t.Fatalf("row %d has %d cells, want %d", i, len([]rune(row)), width)
		}
		for x, cell := range []rune(row) {
			upper, lower := strings.ContainsRune("▀█", cell), strings.ContainsRune("▄█", cell)
			if upper != code.Black(x-2, 2*i-2) || lower != code.Black(x-2, 2*i-1) {
				t.Fatalf("cell %d of row %d is %q", x, i, cell)
			}
		}
	}
}
