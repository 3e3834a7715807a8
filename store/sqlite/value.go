package sqlite

import (
	"database/sql"
	"encoding/json"
	"time"

	"github.com/ptyrec/ptyrec/store"
)

// Values in the database: times are UTC nanoseconds since 1970, the zero time is 0, structures are
// JSON.

func nanosOrNull(t *time.Time) sql.NullInt64 {
	if t == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: store.Nanos(*t), Valid: true}
}

func timeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

func timeOrNil(n sql.NullInt64) *time.Time {
	if !n.Valid {
		return nil
	}
	t := timeOf(n.Int64)
	return &t
}

// asJSON returns v as JSON, and a nil slice as []. It is for types that can always be encoded.
func asJSON[T any](v []T) string {
	if v == nil {
		return "[]"
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
