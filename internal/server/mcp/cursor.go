package mcp

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"sort"
	"strings"
)

// A cursor is opaque to clients. It identifies the next page and the call: its tool and its
// arguments, except those that only set the size of a page.

// sizing are the arguments that may change from page to page.
var sizing = map[string]bool{"cursor": true, "limit": true, "max_chars": true}

// callSum returns a hash that identifies a call.
func callSum(tool string, a arguments) string {
	names := []string{}
	for name := range a {
		if !sizing[name] {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s", tool) // never fails
	for _, name := range names {
		_, _ = fmt.Fprintf(h, "\x00%s\x00%v", name, a[name])
	}
	return fmt.Sprintf("%08x", h.Sum32())
}

// cursorOf returns the cursor for a place in the result of a call.
func cursorOf(tool string, a arguments, place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(callSum(tool, a) + place))
}

// placeOf returns the place in the call's cursor, or "" if it has none. The error is a toolError.
func placeOf(tool string, a arguments) (place string, err error) {
	cursor := a.text("cursor")
	if cursor == "" {
		return "", nil
	}
	plain, decodeErr := base64.RawURLEncoding.DecodeString(cursor)
	place, ok := strings.CutPrefix(string(plain), callSum(tool, a))
	if decodeErr != nil || !ok || place == "" {
		return "", errCursor
	}
	return place, nil
}

var errCursor = toolError("This cursor belongs to another call. Repeat the call whose next_cursor it is, with the " +
	"same arguments, or leave cursor out.")
