package archive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
)

// idBytes is the part of an id that distinguishes sessions with the same time and title, in bytes:
// the random part of a UUID.
const idBytes = 12

// titleBytes is the maximum length of the title in a file's name, in bytes.
const titleBytes = 60

// FileNames returns file names for sessions, made of date, time and title without an extension,
// e.g. 2026-11-20_231105_Fix-the-cache. titles[i] is the title of the i-th session. If several
// names are equal, ignoring case, the end of the id is added to each, so that a session's file
// always gets the same name. Names contain only letters, digits, ".", "_" and "-".
func FileNames(sessions []session.Session, titles []string) []string {
	names, count := make([]string, len(sessions)), map[string]int{}
	for i, s := range sessions {
		names[i] = s.StartedAt.Local().Format("2006-01-02_150405") + fileTitle(titles[i])
		count[strings.ToLower(names[i])]++
	}
	for i, s := range sessions {
		if count[strings.ToLower(names[i])] > 1 {
			names[i] += fileTitle(s.ID[max(0, len(s.ID)-idBytes):])
		}
	}
	return names
}

// fileTitle returns "_" and the title in a form that is valid in a file's name, or "" if no
// character of it is.
func fileTitle(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range title {
		switch {
		case b.Len()+utf8.RuneLen(r) > titleBytes:
			return b.String()
		case r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) ||
			b.Len() > 0 && (r == '.' || r == '_' || unicode.Is(unicode.M, r))):
			if b.Len() == 0 {
				b.WriteByte('_')
			} else if gap {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			gap = false
		default:
			gap = true
		}
	}
	return strings.TrimRight(b.String(), ".")
}
