package redact

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// columns finds the passwords and keys in tables whose first row names them, as browsers, password
// managers and consoles export them (CSV), and programs print them. It looks for such a row where
// findKnown has found a word of a name, and reads each row of a table once.
//
// A table is rows with as many cells as the first one, parted by one of separators, or by two
// blanks or more; a rule below the first row may part it from the others.
func (v *view) columns() []Match {
	done := 0 // where the next row begins
	matches := []Match(nil)
	if v.table != nil {
		done = strings.IndexByte(v.text, '\n') + 1 // the text may begin within a row
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

// tableRows appends the secrets in the rows of the view's table that begin at at, and returns where
// the first row below the table begins. The table stays open if the text ends in it.
func (v *view) tableRows(matches []Match, at int) ([]Match, int) {
	for v.table != nil && at < len(v.text) {
		row, ok := v.tableRow(at)
		if !ok || !v.table.holds(v, unboxed(v.text, row)) {
			if row.end < len(v.text) { // else it may be the start of a row
				v.table = nil
			}
			break
		}
		matches = append(matches, v.table.secrets...)
		at = row.end + 1
	}
	return matches, at
}

// nameWords are the words that end the names of columns with secrets, by their number in
// knownWords.
var nameWords = sync.OnceValue(func() []bool {
	is := make([]bool, len(knownWords))
	for n, w := range knownWords {
		is[n] = slices.Contains([]string{"password", "passwd", "passphrase", "secret", "token", "key"}, w)
	}
	return is
})

// maxName is how many bytes before its end the name of a column begins at most.
const maxName = 64

// endsName reports whether the word that ends at end may end the name of a column with secrets.
func (v *view) endsName(end int) bool {
	behind := strings.TrimPrefix(v.text[end:min(len(v.text), end+maxName)], `"`)
	if blanks := len(behind) - len(strings.TrimLeft(behind, " ")); blanks == 1 {
		if name := behind[1:]; strings.HasPrefix(name, "(plain") || strings.HasPrefix(name, "(Plain") {
			return true
		}
		behind = behind[1:]
	} else if blanks > 1 {
		behind = ""
	}
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

// firstName returns a name without an agent's mark or a number before it.
func firstName(name string) string {
	return strings.TrimLeftFunc(name, func(c rune) bool { return c != '#' && !unicode.IsLetter(c) })
}

// tableRow returns the row around a place of the text, and whether it is short enough for a
// table's.
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
	maxTableRow = 4 << 10 // bytes
	maxCells    = 100
	minValueLen = 4 // bytes of what is a password, if it is in a column of them
)

var (
	// secretColumn is such a name alone.
	secretColumn = newFilter(`(?i)^(?:[a-z0-9]{1,20}[ _.-]){0,2}(?:login_|user|db|admin|new|temp(?:orary)? ?|initial ?)?(?:pass(?:word|wd|phrase)|secret(?: access)? key|secret_?(?:access_?)?key|secretaccesskey|client.secret|secret|api[ _-]?key|private[ _-]key|(?:access|auth|api|bearer|refresh)?[ _-]?token)(?: \(plain(?:text)?\))?$`)

	// columnName is the name of any column.
	columnName = newFilter(`^[A-Za-z#][A-Za-z0-9 _.()/#-]{0,39}$`)

	// tableRule is what may part a table's first row from the others.
	tableRule = newFilter(`^[\s+|:│┼├┤┌┐└┘─═╪╞╡-]+$`)

	// gap parts cells that are aligned.
	gap = lazy.Regexp(` {2,}|\t+ *`)

	// noSecret is what a cell of such a column may hold besides.
	noSecret = newFilter(`(?i)^(?:[^0-9!#%&@^~+=$]*|[^A-Za-z!#%&@^~+=$]*|\$\{?[A-Z_]+\}?|<.*>|.*://.*|[/~.].*|.* .*|.*[(){}].*|[0-9.,:+-]+[a-zµ%]{0,4}|[0-9]{4}-[0-9]{2}-.*|v?(?:[0-9]+:)?[0-9]+\.[0-9A-Za-z.+~:-]+|0x[0-9a-f]+|(?:u?int|varchar|char|text|string|float|utf|sha|base)[_-]?[0-9]{1,4})$`)
)

// separators part cells.
const separators = ",;\t|"

// table is a table whose first row was read.
type table struct {
	start     int   // of the first row, in the text
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
func (v *view) newTable(row span) *table {
	start := row.start
	row = unboxed(v.text, row)
	line := v.text[row.start:row.end]
	for _, separator := range []byte(separators + "\x00") {
		if separator != 0 && strings.IndexByte(line, separator) < 0 && !(separator == '|' && strings.Contains(line, "│")) {
			continue
		}
		t := &table{start: start, separator: separator}
		cells := t.cells(v, row)
		t.names = len(cells)
		for i, c := range cells {
			name := v.text[c.start:c.end]
			v.tabled += len(name)
			if i == 0 {
				name = firstName(name)
			}
			if name != "" && !columnName.matches(name) {
				t.secret = nil
				break
			}
			if secretColumn.matches(name) {
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
func (t *table) holds(v *view, row span) bool {
	t.secrets = t.secrets[:0]
	line := v.text[row.start:row.end]
	if tableRule.matches(line) {
		return strings.TrimSpace(line) != ""
	}
	cells := t.cells(v, row)
	if len(cells) != t.names {
		return false
	}
	for _, i := range t.secret {
		c := cells[i]
		v.tabled += c.end - c.start
		if c.end-c.start >= minValueLen && !noSecret.matches(v.text[c.start:c.end]) {
			t.secrets = append(t.secrets, Match{"password", c.start, c.end})
		}
	}
	return true
}

// cells returns where the cells of a row are, without blanks and quotes around them. There are none
// if there would be too many.
func (t *table) cells(v *view, row span) (cells []span) {
	text := v.text
	v.tabled += row.end - row.start
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
