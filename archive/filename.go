package archive

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// titleBytes bounds the title in a file's name: with the date, a number and an ending it stays
// below 255 bytes, the limit of most file systems.
const titleBytes = 120

// FileNames names the files of n sessions by date, time and title, without an ending, e.g.
// 2026-11-20_2311_Fix-the-cache. Names are unique, whatever the case, and safe: they hold letters,
// digits, ".", "_" and "-" only. of returns when a session began, and its title.
func FileNames(n int, of func(i int) (time.Time, string)) []string {
	names, taken := make([]string, n), map[string]bool{}
	for i := range names {
		at, title := of(i)
		base := at.Local().Format("2006-01-02_1504") + fileTitle(title)
		names[i] = base
		for k := 2; taken[strings.ToLower(names[i])]; k++ {
			names[i] = base + "_" + strconv.Itoa(k)
		}
		taken[strings.ToLower(names[i])] = true
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
