package redact

import (
	"strings"
	"unicode"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// columns finds the passwords and keys in tables whose first row names them, as browsers, password
// managers and consoles export them (CSV), and programs print them. It reads each row once.
//
// A table is rows with as many cells as the first one, parted by one of separators, or by two blanks
// or more; a rule below the first row may part it from the others.
func columns(text string) (matches []Match) {
	if !secretName().MatchString(text) {
		return nil
	}
	var open *table
	for start := 0; start < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		row := unboxed(text, span{start, end})
		if open != nil && open.holds(text, row) {
			matches = append(matches, open.secrets...)
		} else {
			open = newTable(text, row)
		}
		start = end + 1
	}
	return matches
}

const (
	maxTableRow = 4 << 10 // bytes
	maxCells    = 100
	minValueLen = 4 // bytes of what is a password, if it is in a column of them
)

var (
	// secretName finds the name of a column of secrets.
	secretName = lazy.Regexp(`(?i)pass(?:word|wd|phrase)|secret|private.?key|api.?key|\btoken`)

	// secretColumn is such a name alone.
	secretColumn = lazy.Regexp(`(?i)^(?:[a-z0-9]{1,20}[ _.-]){0,2}(?:login_|user|db|admin|new|temp(?:orary)? ?|initial ?)?(?:pass(?:word|wd|phrase)|secret(?: access)? key|secret_?(?:access_?)?key|secretaccesskey|client.secret|secret|api[ _-]?key|private[ _-]key|(?:access|auth|api|bearer|refresh)?[ _-]?token)(?: \(plain(?:text)?\))?$`)

	// columnName is the name of any column.
	columnName = lazy.Regexp(`^[A-Za-z#][A-Za-z0-9 _.()/#-]{0,39}$`)

	// tableRule is what may part a table's first row from the others.
	tableRule = lazy.Regexp(`^[\s+|:│┼├┤┌┐└┘─═╪╞╡-]+$`)

	// gap parts cells that are aligned.
	gap = lazy.Regexp(` {2,}|\t+ *`)

	// noSecret is what a cell of such a column may hold besides.
	noSecret = lazy.Regexp(`(?i)^(?:[^0-9!#%&@^~+=$]*|[^A-Za-z!#%&@^~+=$]*|\$\{?[A-Z_]+\}?|<.*>|.*://.*|[/~.].*|.* .*|.*[(){}].*|[0-9.,:+-]+[a-zµ%]{0,4}|[0-9]{4}-[0-9]{2}-.*|v?(?:[0-9]+:)?[0-9]+\.[0-9A-Za-z.+~:-]+|0x[0-9a-f]+|(?:u?int|varchar|char|text|string|float|utf|sha|base)[_-]?[0-9]{1,4})$`)
)

// separators part cells.
const separators = ",;\t|"

// table is a table whose first row was read.
type table struct {
	separator byte  // 0: blanks
	names     int   // cells of a row
	secret    []int // the numbers of the columns with secrets
	secrets   []Match
}

// unboxed returns a row without the edges of a box around it.
func unboxed(text string, row span) span {
	line := strings.TrimSpace(text[row.start:row.end])
	inner := strings.Trim(line, boxEdges)
	if strings.HasPrefix(line, inner) || strings.HasSuffix(line, inner) || strings.ContainsAny(inner, boxEdges) {
		return row
	}
	start := row.start + strings.Index(text[row.start:row.end], inner)
	return span{start, start + len(inner)}
}

// boxEdges are the sides of a box around rows.
const boxEdges = "│┃║"

// newTable returns the table that begins with a row, or nil if no table with secrets does.
func newTable(text string, row span) *table {
	line := text[row.start:row.end]
	if row.end-row.start > maxTableRow || !secretName().MatchString(line) {
		return nil
	}
	for _, separator := range []byte(separators + "\x00") {
		if separator != 0 && strings.IndexByte(line, separator) < 0 && !(separator == '|' && strings.Contains(line, "│")) {
			continue
		}
		t := &table{separator: separator}
		cells := t.cells(text, row)
		t.names = len(cells)
		for i, c := range cells {
			name := text[c.start:c.end]
			if i == 0 { // an agent's mark or a number may be before it
				name = strings.TrimLeftFunc(name, func(c rune) bool { return c != '#' && !unicode.IsLetter(c) })
			}
			if name != "" && !columnName().MatchString(name) {
				t.secret = nil
				break
			}
			if secretColumn().MatchString(name) {
				t.secret = append(t.secret, i)
			}
		}
		if t.names >= 2 && len(t.secret) > 0 {
			return t
		}
	}
	return nil
}

// holds reports whether a row belongs to the table, and notes its secrets.
func (t *table) holds(text string, row span) bool {
	t.secrets = t.secrets[:0]
	line := text[row.start:row.end]
	if tableRule().MatchString(line) {
		return strings.TrimSpace(line) != ""
	}
	if len(line) > maxTableRow {
		return false
	}
	cells := t.cells(text, row)
	if len(cells) != t.names {
		return false
	}
	for _, i := range t.secret {
		c := cells[i]
		if c.end-c.start >= minValueLen && !noSecret().MatchString(text[c.start:c.end]) {
			t.secrets = append(t.secrets, Match{"password", c.start, c.end})
		}
	}
	return true
}

// cells returns where the cells of a row are, without blanks and quotes around them. There are none
// if there would be too many.
func (t *table) cells(text string, row span) (cells []span) {
	line := strings.TrimRight(text[row.start:row.end], " \t\r")
	from := len(line) - len(strings.TrimLeft(line, " "))
	add := func(start, end int) {
		c := span{row.start + start, row.start + end}
		for c.start < c.end && text[c.start] == ' ' {
			c.start++
		}
		for c.start < c.end && text[c.end-1] == ' ' {
			c.end--
		}
		if c.end-c.start >= 2 && text[c.start] == '"' && text[c.end-1] == '"' {
			c.start, c.end = c.start+1, c.end-1
		}
		cells = append(cells, c)
	}
	switch t.separator {
	case 0:
		for _, g := range gap().FindAllStringIndex(line, maxCells) {
			if g[0] > from {
				add(from, g[0])
			}
			from = g[1]
		}
		add(from, len(line))
	case '|':
		line = strings.ReplaceAll(line, "│", "|\x00\x00") // as long
		line = strings.TrimSuffix(strings.TrimSuffix(line, "|\x00\x00"), "|")
		for from < len(line) && (line[from] == '|' || line[from] == 0) {
			from++
		}
		fallthrough
	default:
		quoted := false
		for i := from; i < len(line) && len(cells) < maxCells; i++ {
			switch {
			case line[i] == '"' && t.separator != '|':
				quoted = !quoted
			case line[i] == t.separator && !quoted:
				add(from, i)
				for from = i + 1; from < len(line) && line[from] == 0; from++ {
				}
			}
		}
		add(from, len(line))
	}
	if len(cells) >= maxCells {
		return nil
	}
	return cells
}
