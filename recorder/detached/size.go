package detached

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/protocol"
)

// DefaultSize is the window of a session in the background, as COLSxROWS cells.
const DefaultSize = "120x30"

// ParseSize reads the COLSxROWS of --size.
func ParseSize(text string) (cols, rows int, err error) {
	left, right, found := strings.Cut(text, "x")
	cols, errCols := strconv.Atoi(left)
	rows, errRows := strconv.Atoi(right)
	if !found || errCols != nil || errRows != nil {
		return 0, 0, fmt.Errorf("--size must be COLSxROWS, such as %[2]s, not %[1]q", text, DefaultSize)
	}
	if cols < 2 || rows < 1 || cols > protocol.MaxCols || rows > protocol.MaxRows {
		return 0, 0, fmt.Errorf("--size must be 2x1 to %[2]dx%[3]d, not %[1]q", text, protocol.MaxCols, protocol.MaxRows)
	}
	return cols, rows, nil
}
