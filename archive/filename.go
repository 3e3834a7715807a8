package archive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/session"
)

// idBytes is how much of an id tells sessions of one time and title apart: the random part of a UUID.
const idBytes = 12

// titleBytes bounds the title in a file's name, which is read in a list.
const titleBytes = 60

// FileNames names the files of sessions by date, time and title, without an ending, e.g.
// 2026-11-20_231105_Fix-the-cache. Those of which that is the same, whatever the case, have the end of
// their id as well, so that a session's file has the same name each time. Names hold letters, digits,
// ".", "_" and "-" only. A session's title is titles' of the same index.
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

// fileTitle returns _ and the title as a part of a file's name; nothing if no character of it can
// be one.
func fileTitle(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range title {
		switch {
		case b.Len()+utf8.RuneLen(r) > titleBytes:
			return b.String()
		case r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || b.Len() > 0 && (r == '.' || r == '_' || unicode.Is(unicode.M, r))):
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
