package redact

// stream is the text in a terminal's output, with the origin of each byte. If the cursor moves to
// another row, the text has a break; if it moves right, the text has blanks. A stream does not
// model the screen: text that a program draws in pieces is in the order of drawing.
type stream struct {
	text   []byte
	from   []place
	table  *table // table in which the text ends
	chunk  int32  // number of the next chunk
	state  state
	params []byte
	copied clipboard
}

// place is the origin of a byte; chunk is -1 if the byte represents a movement of the cursor.
type place struct{ chunk, offset int32 }

type state uint8

const (
	ground state = iota
	escape
	control  // CSI
	operand  // ESC and an intermediate byte; one more follows
	command  // OSC; treated as a separate row
	ignored  // DCS, SOS, PM, APC
	closing  // ESC in a command
	closing2 // ESC in an ignored string
)

// maxSkip is the maximum number of blanks for a movement to the right.
const maxSkip = 200

func (s *stream) add(chunk []byte) {
	for i, c := range chunk {
		at := place{s.chunk, int32(i)}
		s.byte(c, at)
		s.copied.byte(c, at)
	}
	s.chunk++
}

// drop removes the first n bytes of the text. It also drops the table if the search finds it again
// in the rest.
func (s *stream) drop(n int) {
	if s.table != nil && s.table.start >= n {
		s.table = nil
	}
	s.text = append(s.text[:0], s.text[n:]...)
	s.from = append(s.from[:0], s.from[n:]...)
}

func (s *stream) put(c byte, at place) {
	s.text, s.from = append(s.text, c), append(s.from, at)
}

func (s *stream) move(c byte) { s.put(c, place{chunk: -1}) }

// apart starts a row that does not continue anything: a NUL is neither part of a token nor a blank.
func (s *stream) apart() {
	s.row()
	s.move(0)
	s.move('\n')
}

// row ends a row, unless it is empty.
func (s *stream) row() {
	if n := len(s.text); n > 0 && s.text[n-1] != '\n' {
		s.move('\n')
	}
}

// byte is the parser of https://vt100.net/emu/dec_ansi_parser, as far as it concerns text.
func (s *stream) byte(c byte, at place) {
	switch {
	case c == 0x1b:
		s.escape()
	case c == 0x18 || c == 0x1a:
		s.state = ground
	case s.state == command && c == 0x07:
		s.apart()
		s.state = ground
	case s.state == command || s.state == ground && c >= ' ' && c != 0x7f:
		if c >= ' ' {
			s.put(c, at)
		}
	case s.state == ignored:
	case c < ' ':
		s.controlByte(c)
	case s.state == control:
		s.controlSequence(c)
	default:
		s.escaped(c)
	}
}

func (s *stream) escape() {
	switch s.state {
	case command:
		s.state = closing
	case ignored:
		s.state = closing2
	default:
		s.state = escape
	}
}

func (s *stream) controlByte(c byte) {
	n := len(s.text)
	switch c {
	case '\n', '\v', '\f':
		s.row()
	case '\r':
		// A shell's line editor crosses the window's edge with a blank and a return.
		if n > 0 && s.text[n-1] == ' ' && s.from[n-1].chunk >= 0 {
			s.text, s.from = s.text[:n-1], s.from[:n-1]
			return
		}
		s.row()
	case '\t': // columns are two blanks apart, see gap
		s.move(' ')
		s.move(' ')
	}
}

// escaped processes the byte after ESC.
func (s *stream) escaped(c byte) {
	was := s.state
	s.state = ground
	switch {
	case was == operand, was == ground:
	case was == closing || was == closing2:
		if was == closing {
			s.apart()
		} else {
			s.row()
		}
		if c != '\\' {
			s.state = escape
			s.escaped(c)
		}
	case c == '[':
		s.state, s.params = control, s.params[:0]
	case c == ']':
		s.apart()
		s.state = command
	case c == 'P' || c == 'X' || c == '^' || c == '_':
		s.state = ignored
	case c >= ' ' && c < '0':
		s.state = operand
	case c == 'E' || c == 'D' || c == 'M' || c == 'c' || c == '8':
		s.row()
	}
}

// controlSequence processes a byte of a CSI sequence.
func (s *stream) controlSequence(c byte) {
	if c < '@' {
		if len(s.params) < 32 {
			s.params = append(s.params, c)
		}
		return
	}
	s.state = ground
	switch c {
	case 'C', 'a':
		for range s.skip() {
			s.move(' ')
		}
	case 'A', 'B', 'E', 'F', 'G', 'H', 'd', 'f', 'u', '`', 'S', 'T':
		s.row()
	}
}

// skip returns the distance of a movement, in cells.
func (s *stream) skip() int {
	n := 0
	for _, c := range s.params {
		if c < '0' || c > '9' {
			break
		}
		n = min(maxSkip, 10*n+int(c-'0'))
	}
	return max(1, n)
}
