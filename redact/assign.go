package redact

import "strings"

// assignment is the part of many of gitleaks' patterns that stands between a name and its value. It takes long where there are
// many names and few values, so a look ahead decides whether it is worth while.
const assignment = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`

const (
	nameTail   = 24 // bytes: the longest text between a word and the sign behind it
	beforeWord = 10 // bytes: likewise from the sign to the value
	minValue   = 10 // bytes: the shortest value of the generic rule, which has a digit
	maxValue   = 150
)

// assigns tells whether a value may follow the name whose word ends at a place. It is never wrong when it says no.
func (r *rule) assigns(v *view, end int) bool {
	text := v.folded[end:min(len(v.folded), end+nameTail+beforeWord+maxValue)]
	sign := strings.IndexAny(text[:min(len(text), nameTail)], "=>:|,")
	if sign < 0 {
		return false
	}
	if r.id != genericRule {
		return true
	}
	run, digit := 0, false
	for i := sign; i < len(text); i++ {
		c := text[i]
		if !isWord(c) && strings.IndexByte(".=+/-", c) < 0 {
			if i > nameTail+beforeWord {
				return false
			}
			run, digit = 0, false
			continue
		}
		run++
		digit = digit || c >= '0' && c <= '9'
		if digit && run >= minValue {
			return true
		}
	}
	return false
}
