package cli

import (
	"strings"

	"rsc.io/qr"
)

// quiet is the margin around the code, in modules. ISO/IEC 18004, 6.3.8 requires 4; phones accept
// 2.
const quiet = 2

// QR returns the QR code of a text as rows for a terminal with colours and UTF-8, and the width of
// each row in cells. A cell shows two modules, one above the other.
func QR(text string) (rows []string, width int, err error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil, 0, err
	}
	width = code.Size + 2*quiet
	for y := -quiet; y < code.Size+quiet; y += 2 {
		var row strings.Builder
		row.WriteString("\x1b[38;5;16;48;5;231m") // black on white, independent of the theme
		for x := -quiet; x < code.Size+quiet; x++ {
			row.WriteString(qrCells[bit(code.Black(x, y))<<1|bit(code.Black(x, y+1))])
		}
		row.WriteString("\x1b[m")
		rows = append(rows, row.String())
	}
	return rows, width, nil
}

// qrCells are the cells by which half is black: none, the lower, the upper, both.
var qrCells = [4]string{" ", "▄", "▀", "█"}

func bit(on bool) int {
	if on {
		return 1
	}
	return 0
}
