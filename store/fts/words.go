// Package fts splits text into words exactly as SQLite's FTS5 does with the tokenizer
// "unicode61 remove_diacritics 2", and evaluates queries on them. It needs no database, so that
// every database finds the same messages.
package fts

//go:generate go run gen.go

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// maxWord is the maximum length of a word, in bytes. The rest of a longer word is ignored.
const maxWord = 32768

// fold is a range of characters. Each step-th one, plus by, is its replacement.
type fold struct{ first, last, step, by rune }

// Split returns the words of a text in order, in lower case and without accents.
func Split(text string) (words []string) {
	var changed []byte // the word, if it differs from the text
	start := -1
	end := func(at int) {
		if start < 0 {
			return
		}
		word := text[start:at]
		if changed != nil {
			word, changed = string(changed), nil
		}
		words = append(words, word[:min(len(word), maxWord)])
		start = -1
	}
	for at := 0; at < len(text); {
		r, size := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[at:])
		}
		to, part := foldOf(r)
		switch {
		case !part, to == 0 && start < 0:
			end(at)
		default:
			if start < 0 {
				start = at
			}
			if to != r && changed == nil {
				changed = append(make([]byte, 0, len(text[start:at])+16), text[start:at]...)
			}
			if changed != nil && to != 0 {
				changed = utf8.AppendRune(changed, to)
			}
		}
		at += size
	}
	end(len(text))
	return words
}

// foldOf returns the replacement of a character in a word, or 0 if the word continues without it.
// part is false if the character separates words.
func foldOf(r rune) (to rune, part bool) {
	if r < utf8.RuneSelf {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A', true
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r, true
		}
		return 0, false
	}
	if within(separators[:], r) {
		return 0, false
	}
	if within(dropped[:], r) {
		return 0, true
	}
	i, found := slices.BinarySearchFunc(folds[:], r, func(f fold, r rune) int { return cmp.Compare(f.first, r) })
	if !found {
		i--
	}
	if i >= 0 && r <= folds[i].last && (r-folds[i].first)%folds[i].step == 0 {
		return r + folds[i].by, true
	}
	return r, true
}

func within(ranges [][2]rune, r rune) bool {
	_, found := slices.BinarySearchFunc(ranges, r, func(of [2]rune, r rune) int {
		switch {
		case of[1] < r:
			return -1
		case of[0] > r:
			return 1
		}
		return 0
	})
	return found
}
