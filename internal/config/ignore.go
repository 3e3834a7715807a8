package config

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/git"
)

// IgnoreList has the patterns of what is not recorded: folders, commands, git remotes. Its zero
// value ignores nothing.
type IgnoreList struct{ patterns []pattern }

// pattern is one of them. It names a folder if it begins with / or ~, a git remote if a colon comes
// before any space, else a command.
type pattern struct {
	text string
	kind patternKind
	re   []*regexp.Regexp // one of them matches
}

type patternKind int

const (
	command patternKind = iota
	folder
	remote
)

// ParseIgnored parses patterns. home replaces ~. * matches any characters, in the pattern of a
// folder any but /; ** matches any characters; ? matches one character, [a-z] one of these; \
// quotes the next character. An error names the pattern.
func ParseIgnored(patterns []string, home string) (IgnoreList, error) {
	var l IgnoreList
	for _, text := range patterns {
		p := pattern{text: text, kind: kindOfPattern(text)}
		sources, err := p.sources(home)
		for _, source := range sources {
			var re *regexp.Regexp
			if err == nil {
				re, err = compile(source, p.kind == folder)
			}
			p.re = append(p.re, re)
		}
		if err != nil {
			return IgnoreList{}, fmt.Errorf("%q: %w", text, err)
		}
		l.patterns = append(l.patterns, p)
	}
	return l, nil
}

func kindOfPattern(text string) patternKind {
	space, colon := strings.IndexByte(text, ' '), strings.IndexByte(text, ':')
	switch {
	case strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~"):
		return folder
	case colon >= 0 && (space < 0 || colon < space):
		return remote
	}
	return command
}

// sources returns the patterns to compile. For a folder these include the one with links resolved
// in the part before the first wildcard.
func (p pattern) sources(home string) ([]string, error) {
	text := p.text
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("it is empty")
	}
	if p.kind != folder {
		return []string{text}, nil
	}
	if rest, ok := strings.CutPrefix(text, "~"); ok {
		if rest != "" && rest[0] != '/' {
			return nil, errors.New("only ~ itself is known, not the folder of another user")
		}
		if home == "" {
			return nil, errors.New("$HOME is not set")
		}
		text = quote(home) + rest
	}
	if text = strings.TrimRight(text, "/"); text == "" {
		text = "/"
	}
	return append([]string{text}, followed(text)...), nil
}

// quote quotes the special characters of a path.
func quote(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// followed returns the pattern of a folder with links resolved in the part before the first
// wildcard, if there are any.
func followed(text string) []string {
	plain, rest := text, ""
	if i := strings.IndexAny(text, `*?[\`); i >= 0 {
		i = strings.LastIndexByte(text[:i], '/')
		plain, rest = text[:i], text[i:]
	}
	real, err := filepath.EvalSymlinks(plain)
	if plain == "" || err != nil || real == plain {
		return nil
	}
	return []string{quote(real) + rest}
}

// nonASCII returns the number of bytes at the start of text that are not ASCII.
func nonASCII(text string) (n int) {
	for n < len(text) && text[n] >= utf8.RuneSelf {
		n++
	}
	return n
}

// classOf translates the class at the start of text, [a-z] or [!a-z], and returns its length, or 0
// if it has no end.
func classOf(text string) (source string, n int) {
	end := strings.IndexByte(text, ']')
	if end < 2 {
		return "", 0
	}
	class := text[1:end]
	if class[0] == '!' {
		class = "^" + class[1:]
	}
	return "[" + strings.NewReplacer(`\`, `\\`, "[", `\[`).Replace(class) + "]", end + 1
}

// compile translates a pattern. That of a folder also matches what is below it.
func compile(text string, path bool) (*regexp.Regexp, error) {
	source, err := sourceOf(text, path)
	if err != nil {
		return nil, err
	}
	if path {
		source += `(/.*)?`
		if text == "/" {
			source += `.*`
		}
	}
	return regexp.Compile(`(?s)^` + source + `$`)
}

// sourceOf translates a pattern to the source of a regular expression.
func sourceOf(text string, path bool) (string, error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '*' && !path:
			b.WriteString(`.*`)
		case strings.HasPrefix(text[i:], "**"):
			b.WriteString(`.*`)
			i++
		case c == '*':
			b.WriteString(`[^/]*`)
		case c == '?' && path:
			b.WriteString(`[^/]`)
		case c == '?':
			b.WriteByte('.')
		case c == '[':
			class, n := classOf(text[i:])
			if n == 0 {
				return "", errors.New("a [ has no ]")
			}
			b.WriteString(class)
			i += n - 1
		case c == '\\':
			if i++; i == len(text) {
				return "", errors.New(`it ends with \`)
			}
			b.WriteString(regexp.QuoteMeta(text[i : i+1]))
		case c >= 0x80: // part of a character: regexp wants it whole
			n := nonASCII(text[i:])
			b.WriteString(regexp.QuoteMeta(strings.ToValidUTF8(text[i:i+n], "\uFFFD")))
			i += n - 1
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return b.String(), nil
}

func (p pattern) matches(texts ...string) bool {
	for _, re := range p.re {
		for _, text := range texts {
			if text != "" && re.MatchString(text) {
				return true
			}
		}
	}
	return false
}

// Match reports whether a command in a folder is not to be recorded, and the reason: the pattern,
// or that git did not report the remotes. It runs git only if a pattern names a remote.
func (l IgnoreList) Match(ctx context.Context, dir string, line []string) (why string, ignored bool) {
	remotes := []pattern{}
	for _, p := range l.patterns {
		switch p.kind {
		case folder:
			real, _ := filepath.EvalSymlinks(dir) // empty if it does not exist, or may not be read
			if p.matches(dir, real) || dir == "" {
				return p.text, true
			}
		case command:
			if len(line) > 0 && p.matchesCommand(line) {
				return p.text, true
			}
		case remote:
			remotes = append(remotes, p)
		}
	}
	if len(remotes) == 0 || !git.Inside(dir) {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, git.Limit())
	defer cancel()
	urls, err := git.Remotes(ctx, dir)
	if err != nil {
		return remotes[0].text + "; git did not say which remotes there are", true
	}
	for _, p := range remotes {
		for _, url := range urls {
			if p.matches(url, strings.TrimSuffix(url, ".git"), strings.TrimSuffix(url, "/")) {
				return p.text, true
			}
		}
	}
	return "", false
}

// matchesCommand reports whether a command's name, its path, or its whole line match.
func (p pattern) matchesCommand(line []string) bool {
	name := filepath.Base(line[0])
	return p.matches(name, line[0], strings.Join(line, " "), strings.Join(append([]string{name}, line[1:]...), " "))
}
