// Package render writes transcripts as JSON, JSON lines, Markdown, HTML or text, and for terminals.
package render

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// ErrFormat reports an unknown format.
var ErrFormat = errors.New("unknown format")

// Formats returns the names of the formats of Write.
func Formats() []string { return []string{"json", "jsonl", "md", "txt"} }

// endings are further file name extensions for the formats.
var endings = map[string]string{"ndjson": "jsonl", "markdown": "md", "text": "txt"}

// FormatOf returns the format for a file name's extension. The error wraps ErrFormat.
func FormatOf(filename string) (string, error) {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(filename), "."))
	if format, ok := endings[ending]; ok {
		return format, nil
	}
	if slices.Contains(Formats(), ending) {
		return ending, nil
	}
	return "", fmt.Errorf("%w: %s does not end like a file of a known format", ErrFormat, filename)
}

// Write writes t to w in the given format. The same transcript always results in the same bytes.
// The error wraps ErrFormat if the format is unknown.
func Write(w io.Writer, format string, t *session.Transcript) error {
	switch format {
	case "json":
		return writeJSON(w, t)
	case "jsonl":
		return writeLines(w, t)
	case "md":
		return writeMarkdown(w, t)
	case "txt":
		return writeText(w, t)
	}
	return fmt.Errorf("%w: %s is none of %s", ErrFormat, format, strings.Join(Formats(), ", "))
}
