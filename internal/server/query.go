package server

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ptyrec/ptyrec/store"
)

// query parses the parameters of a request, and keeps the first error.
type query struct {
	values url.Values
	err    error
}

func queryOf(r *http.Request) *query { return &query{values: r.URL.Query()} }

// parsed parses one parameter. It returns v if the parameter is missing.
func parsed[T any](q *query, name string, v T, parse func(string) (T, error)) T {
	text := q.values.Get(name)
	if text == "" {
		return v
	}
	got, err := parse(text)
	if err != nil {
		if q.err == nil {
			q.err = badRequest("invalid value %q of %s", text, name)
		}
		return v
	}
	return got
}

func (q *query) number(name string, otherwise, least, most int) int {
	return parsed(q, name, otherwise, func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if err == nil && (n < least || n > most) {
			err = strconv.ErrRange
		}
		return n, err
	})
}

func (q *query) boolean(name string) bool { return parsed(q, name, false, strconv.ParseBool) }

// seconds parses a time since a session's start. A missing parameter means the end.
func (q *query) seconds(name string) float64 {
	return parsed(q, name, math.Inf(1), func(text string) (float64, error) {
		n, err := strconv.ParseFloat(text, 64)
		if err == nil && !(n >= 0 && n < math.MaxInt32) {
			err = strconv.ErrRange
		}
		return n, err
	})
}

// oneOf parses a parameter with a few possible values. The first is the default.
func (q *query) oneOf(name string, values []string) string {
	return parsed(q, name, values[0], func(text string) (string, error) {
		if !slices.Contains(values, text) {
			return "", strconv.ErrSyntax
		}
		return text, nil
	})
}

// Limits on the items in a response.
const (
	pageSize    = 100
	maxPageSize = 1000
)

// filter parses the parameters that select sessions.
func (q *query) filter() (f store.Filter) {
	for _, field := range store.Fields() {
		if field.Usage != "" {
			f = parsed(q, field.Name, f, func(text string) (store.Filter, error) {
				with := f
				err := field.Parse(&with, text)
				return with, err
			})
		}
	}
	return f
}

// limit parses the maximum number of items in a response.
func (q *query) limit() int { return q.number("limit", pageSize, 1, maxPageSize) }

// cursorOf returns the cursor with which a client requests the sessions after this one.
func cursorOf(info *store.Info) (string, error) {
	text, err := info.Position().MarshalText()
	return base64.RawURLEncoding.EncodeToString(text), err
}

// cursor parses the result of cursorOf.
func (q *query) cursor() store.Position {
	return parsed(q, "cursor", store.Position{}, func(text string) (p store.Position, err error) {
		plain, err := base64.RawURLEncoding.DecodeString(text)
		if err == nil {
			err = p.UnmarshalText(plain)
		}
		return p, err
	})
}

// span parses the parameters that select entries of a session.
func (q *query) span() store.Span {
	span := store.Span{
		Since: q.number("since", 0, 0, math.MaxInt32-1), Around: q.number("around", 0, 1, math.MaxInt32-1), Limit: q.limit(),
		Before: parsed(q, "before", 0, func(text string) (int, error) {
			if text == "end" {
				return math.MaxInt32, nil
			}
			n, err := strconv.Atoi(text)
			if err == nil && (n < 1 || n > math.MaxInt32) {
				err = strconv.ErrRange
			}
			return n, err
		}),
	}
	given := slices.DeleteFunc([]string{"since", "before", "around"},
		func(name string) bool { return q.values.Get(name) == "" })
	if len(given) > 1 && q.err == nil {
		q.err = badRequest("%s cannot be combined", strings.Join(given, " and "))
	}
	return span
}

// maxBody is the maximum length of a request's body, in bytes.
const maxBody = 256 << 10

// decode decodes a request's JSON body.
func decode(w http.ResponseWriter, r *http.Request, v any) error {
	if !isJSON(r) {
		return problem(http.StatusUnsupportedMediaType, "bad_request", "the body's Content-Type must be application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return badRequest("invalid body: %v", err)
	}
	return nil
}
