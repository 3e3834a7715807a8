package postgres

import (
	"fmt"
	"time"
)

// SetStatementTime sets how long a statement may take.
func (s *Store) SetStatementTime(d time.Duration) {
	s.begin = fmt.Sprintf("begin; set local statement_timeout = %d", d.Milliseconds())
}

// SetToday sets the day that the database's clock shows.
func (s *Store) SetToday(day string) { s.today = "'" + day + "'::date" }

// SetSearchTime sets how long a search may take.
func (s *Store) SetSearchTime(d time.Duration) { s.searchTime = d }
