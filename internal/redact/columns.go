package redact

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// columns finds passwords and keys in tables with a heading for them: CSV files of browsers,
// password managers and cloud consoles, and tables that programs print. findKnown has stored where
// such a heading may be. Each row of a table is read once.
//
// All rows of a table have the same number of cells. Cells are separated by one of the separators,
// or by at least two blanks. A line may be drawn below the first row.
func (v *view) columns() []Match {
	done := 0 // start of the next row
	matches := []Match(nil)
	if v.table != nil {
		done = strings.IndexByte(v.text, '\n') + 1 // the first row may be incomplete
		matches, done = v.tableRows(matches, done)
	}
	for _, end := range v.headings {
		if end <= done || !v.endsName(end) {
			continue
		}
		row, ok := v.tableRow(end)
		if !ok || row.start < done || row.end == len(v.text) {
			continue
		}
		v.table = v.newTable(row)
		matches, done = v.tableRows(matches, row.end+1)
	}
	return matches
}

// tableRows appends the secrets in the rows of v.table from at on, and returns the start of the
// first row after the table. It sets v.table to nil, unless the text ends within the table.
func (v *view) tableRows(matches []Match, at int) ([]Match, int) {
	for v.table != nil && at < len(v.text) {
		row, ok := v.tableRow(at)
		if !ok || !v.table.holds(v, unboxed(v.text, row)) {
			if row.end < len(v.text) { // otherwise the row may be incomplete
				v.table = nil
			}
			break
		}
		matches = append(matches, v.table.secrets...)
		at = row.end + 1
	}
	return matches, at
}

// nameWords reports, for each of knownWords, whether secretColumn matches names that end with it.
var nameWords = sync.OnceValue(func() []bool {
	is := make([]bool, len(knownWords))
	for n, w := range knownWords {
		is[n] = slices.Contains([]string{"password", "passwd", "passphrase", "secret", "token", "key"}, w)
	}
	return is
})

// maxName is the maximum length of a column's name, in bytes.
const maxName = 64

// endsName reports whether the name of a column with secrets may end at end. It is a quick check;
// newTable decides.
func (v *view) endsName(end int) bool {
	behind := strings.TrimPrefix(v.text[end:min(len(v.text), end+maxName)], `"`)
	if strings.HasPrefix(behind, " (") { // Password (plain text)
		return true
	}
	if strings.HasPrefix(behind, "  ") {
		behind = ""
	}
	behind = strings.TrimPrefix(behind, " ")
	c, _ := utf8.DecodeRuneInString(behind)
	if behind != "" && !strings.ContainsRune(separators+boxEdges+"\r\n", c) {
		return false
	}
	start := max(0, end-maxName)
	name := v.text[start:end]
	name = name[strings.LastIndexAny(name, separators+boxEdges+"\"\n")+1:]
	if n := strings.LastIndex(name, "  "); n >= 0 {
		name = name[n:]
	}
	v.tabled += end - start
	return secretColumn.matches(firstName(name))
}

// firstName removes a line number, or a mark that an agent puts before a line.
func firstName(name string) string {
	return strings.TrimLeftFunc(name, func(c rune) bool { return c != '#' && !unicode.IsLetter(c) })
}

// tableRow returns the row of the text that contains at, without its newline. ok is false if it is
// too long for a table; the span is then a part of the row.
func (v *view) tableRow(at int) (row span, ok bool) {
	row = span{max(0, at-maxTableRow-1), min(len(v.text), at+maxTableRow+1)}
	first, last := row.start == 0, row.end == len(v.text)
	if n := strings.LastIndexByte(v.text[row.start:at], '\n'); n >= 0 {
		row.start, first = row.start+n+1, true
	}
	if n := strings.IndexByte(v.text[at:row.end], '\n'); n >= 0 {
		row.end, last = at+n, true
	}
	return row, first && last && row.end-row.start <= maxTableRow
}

const (
	maxTableRow = 4 << 10 // in bytes
	maxCells    = 100
	minValueLen = 4 // in bytes; shorter cells are not passwords
)

var (
	// secretColumn matches the names of columns with secrets.
	secretColumn = newFilter(`(?i)^(?:[a-z0-9]{1,20}[ _.-]){0,2}(?:login_|user|db|admin|new|temp(?:orary)? ?|initial ` +
		`?)?(?:pass(?:word|wd|phrase)|secret(?: access)? ` +
		`key|secret_?(?:access_?)?key|secretaccesskey|client.secret|secret|api[ _-]?key|private[ ` +
		`_-]key|(?:access|auth|api|bearer|refresh)?[ _-]?token)(?: \(plain(?:text)?\))?$`)

	// columnName matches the names of all columns.
	columnName = newFilter(`^[A-Za-z#][A-Za-z0-9 _.()/#-]{0,39}$`)

	// tableRule matches a line drawn below the first row.
	tableRule = newFilter(`^[\s+|:│┼├┤┌┐└┘─═╪╞╡-]+$`)

	// gap matches what separates the cells of a table without separators.
	gap = lazy.Regexp(` {2,}|\t+ *`)

	// noSecret matches values in a column with secrets that are not secrets: words, numbers, dates,
	// paths, variables, types.
	noSecret = newFilter(`(?i)^(?:[^0-9!#%&@^~+=$]*|[^A-Za-z!#%&@^~+=$]*|\$\{?[A-Z_]+\}?|<.*>|.*://.*|[/~.].*|.* ` +
		`.*|.*[(){}].*|[0-9.,:+-]+[a-zµ%]{0,4}|[0-9]{4}-[0-9]{2}-.*|v?(?:[0-9]+:)?[0-9]+\.[0-9A-Za-z.+~:` +
		`-]+|0x[0-9a-f]+|(?:u?int|varchar|char|text|string|float|utf|sha|base)[_-]?[0-9]{1,4})$`)
)

// separators are the characters that may be between cells.
const separators = ",;\t|"

// table describes a table.
type table struct {
	start     int     // start of the first row in the text
	separator byte    // 0: blanks
	cells     int     // number of cells in each row
	columns   []int   // indices of the columns with secrets
	secrets   []Match // in the row of the last call of holds
}

// unboxed removes the sides of a box from a row.
func unboxed(text string, row span) span {
	line := strings.TrimSpace(text[row.start:row.end])
	inner := strings.Trim(line, boxEdges)
	if strings.HasPrefix(line, inner) || strings.HasSuffix(line, inner) || strings.ContainsAny(inner, boxEdges) {
		return row
	}
	start := row.start + strings.Index(text[row.start:row.end], inner)
	return span{start, start + len(inner)}
}

// boxEdges are the characters that draw the sides of a box.
const boxEdges = "│┃║"

// newTable returns the table that begins with row, or nil if row does not name a column with
// secrets.
func (v *view) newTable(row span) *table {
	start := row.start
	row = unboxed(v.text, row)
	line := v.text[row.start:row.end]
	for _, separator := range []byte(separators + "\x00") {
		if separator != 0 && strings.IndexByte(line, separator) < 0 && !(separator == '|' && strings.Contains(line, "│")) {
			continue
		}
		t := &table{start: start, separator: separator}
		cells := t.split(v, row)
		t.cells = len(cells)
		for i, c := range cells {
			name := v.text[c.start:c.end]
			v.tabled += len(name)
			if i == 0 {
				name = firstName(name)
			}
			if name != "" && !columnName.matches(name) {
				t.columns = nil
				break
			}
			if secretColumn.matches(name) {
				t.columns = append(t.columns, i)
			}
		}
		if t.cells >= 2 && len(t.columns) > 0 {
			return t
		}
	}
	return nil
}

// holds reports whether a row belongs to the table, and sets t.secrets to the secrets in it.
func (t *table) holds(v *view, row span) bool {
	t.secrets = t.secrets[:0]
	line := v.text[row.start:row.end]
	if tableRule.matches(line) {
		return strings.TrimSpace(line) != ""
	}
	cells := t.split(v, row)
	if len(cells) != t.cells {
		return false
	}
	for _, i := range t.columns {
		c := cells[i]
		v.tabled += c.end - c.start
		if c.end-c.start >= minValueLen && !noSecret.matches(v.text[c.start:c.end]) {
			t.secrets = append(t.secrets, Match{"password", c.start, c.end})
		}
	}
	return true
}

// split returns the cells of a row, without surrounding blanks and quotes. It returns nil if there
// are too many.
func (t *table) split(v *view, row span) (cells []span) {
	text := v.text
	v.tabled += row.end - row.start
	line := strings.TrimRight(text[row.start:row.end], " \t\r")
	from := len(line) - len(strings.TrimLeft(line, " "))
	add := func(start, end int) {
		cells = append(cells, cellIn(text, span{row.start + start, row.start + end}))
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
		line = strings.ReplaceAll(line, "│", "|\x00\x00") // the same length
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

// cellIn returns a cell without surrounding blanks and quotes.
func cellIn(text string, c span) span {
	for c.start < c.end && text[c.start] == ' ' {
		c.start++
	}
	for c.start < c.end && text[c.end-1] == ' ' {
		c.end--
	}
	if c.end-c.start >= 2 && text[c.start] == '"' && text[c.end-1] == '"' {
		c.start, c.end = c.start+1, c.end-1
	}
	return c
}
