package usage

import (
	"fmt"
)

// Tokens formats a number of tokens: 999, 12.3k, 4.5M.
func Tokens(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1fG", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// Dollars formats a cost. It is empty if nothing has a price, and marked as a lower bound if a part
// has none.
func (s *Sum) Dollars() string {
	switch {
	case s.Cost == 0 && s.Unpriced > 0:
		return ""
	case s.Cost > 0 && s.Cost < 0.01:
		return fmt.Sprintf("%s$%.4f", s.least(), s.Cost)
	}
	return fmt.Sprintf("%s$%.2f", s.least(), s.Cost)
}

// least returns the mark for a lower bound, or "".
func (s *Sum) least() string {
	if s.Unpriced > 0 || s.FromScreen > 0 {
		return "≥ "
	}
	return ""
}

// Text formats a sum on one line: 12.3k tokens, $0.42.
func (s *Sum) Text() string {
	text := Tokens(s.Total) + " tokens"
	if s.FromScreen > 0 {
		text = "≥ " + text
	}
	if dollars := s.Dollars(); dollars != "" {
		text += ", " + dollars
	}
	return text
}
