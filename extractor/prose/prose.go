// Package prose distinguishes code from prose by the words of a line, if colours do not show it.
package prose

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ptyrec/ptyrec/internal/lazy"
)

// Kind is what a line without a style is.
type Kind uint8

// The kinds.
const (
	Either Kind = iota
	Code
	Prose
)

// Judge judges whether a line is code or prose by its words. Prose begins with a capital and ends
// with a point, or consists only of words, or of many words with few others. Signs that prose would
// put in a code span are code.
func Judge(t string) Kind {
	words, plain, first := count(t)
	switch {
	case Comment(t), Exception(t), strings.HasSuffix(t, " ./..."):
		return Code
	case plain*2 >= words && sentence(t, words, plain, first):
		return Prose
	case hasSigns(t):
		return Code
	case plain == words && (words >= 3 || unicode.IsUpper(first) || endsIn(t, ".!?,")), plain*4 >= words*3 && words > 4:
		return Prose
	case strings.ContainsAny(t, "/\"'()[]-:.") || unicode.IsLower(first):
		return Code
	}
	return Either
}

// sentence reports whether a line, of which count is known, begins or ends like a sentence.
func sentence(t string, words, plain int, first rune) bool {
	switch {
	case endsIn(t, ".!?:") && plain*10 >= words*7 && words > 3:
		return true
	case unicode.IsUpper(first) && (endsIn(t, ".!?:,") || words >= 10 && plain*10 >= words*9):
		return true
	}
	return !unicode.In(first, unicode.Latin) && unicode.IsLetter(first)
}

// hasSigns reports whether a line has signs that prose would put in a code span.
func hasSigns(t string) bool {
	return strings.ContainsAny(t, "{}=<>$|\\;*_#@&~^│╭╰├└─") || strings.Contains(t, "()") || strings.HasSuffix(t, "\")")
}

// count returns the number of words of a line, how many of them are plain, and the first character
// of the first.
func count(t string) (words, plain int, first rune) {
	for w := range strings.FieldsSeq(t) {
		if pictogram(w) {
			continue
		}
		if words++; words == 1 {
			first, _ = utf8.DecodeRuneInString(w)
		}
		if plainWord(w) {
			plain++
		}
	}
	return words, plain, first
}

// pictogram reports whether a word consists of emoji or of signs like "→" and "≤", which occur in
// prose and in code.
func pictogram(w string) bool {
	if w[0] < utf8.RuneSelf { // as most words do
		return false
	}
	rest := strings.TrimFunc(strings.TrimRight(w, ".,;:!?"), func(r rune) bool {
		return r>>12 == 0x1f || unicode.Is(unicode.Sm, r) || strings.ContainsRune("✅❌❗❓⭐⚡✨⚠✔☑❤⚙ℹ▶\u200d\ufe0f", r)
	})
	return rest == ""
}

// Fragment reports whether a line that could be prose is not a complete sentence: it begins with a
// lower-case letter and does not end with a punctuation mark.
func Fragment(t string) bool {
	first, _ := utf8.DecodeRuneInString(t)
	return unicode.IsLower(first) && !endsIn(t, ".!?:,;")
}

// punctuation are the marks around words.
const punctuation = `.,;:!?()"'“”‘’—–`

// plainWord reports whether a word, with punctuation around it, may occur in prose. A word in
// camelCase may not.
func plainWord(w string) bool {
	w = strings.Trim(w, punctuation)
	_, n := utf8.DecodeRuneInString(w)
	if strings.ContainsFunc(w[n:], unicode.IsUpper) && strings.ContainsFunc(w, unicode.IsLower) {
		return false
	}
	return !strings.ContainsFunc(w, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M) && !strings.ContainsRune("'’-", r)
	})
}

// Comment reports whether a line begins with a comment.
func Comment(t string) bool { return comment().MatchString(t) }

var comment = lazy.Regexp(`^(?://|/\*|# )`)

// Exception reports whether a line is the last of a traceback: `ValueError: not a number`.
func Exception(t string) bool { return exception().MatchString(t) }

var exception = lazy.Regexp(`^(?:[^ :]{3,}Error|[^ :]*Exception|[^ :]+Warning)(?::|$)`)

// Markup reports whether a line is what Markdown passes on or hides, but some agents draw as text:
// it begins with an element of HTML or with a comment, or defines the address of a link.
func Markup(t string) bool {
	return t != "" && strings.ContainsAny(t[:1], "<[-") && markup().MatchString(t) // a quick check first
}

// elements are those of HTML that documents in Markdown use.
const elements = `a|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|kbd|li|ol|p|picture|` +
	`pre|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video`

var markup = lazy.Regexp(`^(?:</?(?:` + elements + `)(?: [^<>]*)?(?:/?>|$)|<!--|-->|\[[^\]]+\]: +(?:https?:|[./#]))`)

// Statements reports whether two lines of code are separate statements: both are rows of a table;
// or the upper one closes all that it opens, and the lower one consists only of closing brackets;
// or the upper one ends like a statement and closes all brackets and quotes that it opens, and the
// lower one begins with a call, an assignment or a word that begins statements.
func Statements(above, below string) bool {
	if strings.HasPrefix(above, "|") && strings.HasSuffix(above, "|") {
		return strings.HasPrefix(below, "|")
	}
	opened := 0
	for _, r := range above {
		switch r {
		case '(', '[', '{':
			opened++
		case ')', ']', '}':
			opened--
		}
	}
	whole := opened <= 0 && strings.Count(above, `"`)%2 == 0
	if whole && strings.Trim(below, ")]};,") == "" {
		return true
	}
	return whole && endsIn(above, ");}]\"") && statement().MatchString(below)
}

// statement matches a call, an assignment, or a word that begins statements in most languages.
var statement = lazy.Regexp(`^(?:[\pL_$][\pL\pN_$.]*(?:\(| :?= |\[)|` +
	`(?:if|for|return|const|let|var|func|function|def|class|import|from|type|switch|case|try|while|else|end|await|` +
	`throw|print) )`)

// Signs reports whether a text contains signs that do not occur in prose.
func Signs(t string) bool {
	return endsIn(t, ";{}") || begun().MatchString(t) ||
		slices.ContainsFunc(within, func(s string) bool { return strings.Contains(t, s) })
}

// within are such signs; begun matches those at the beginning.
var (
	within = []string{"();", "){", ") {", " = ", "=>", "->", "::", "&&", "||", " | ", "</", "/>", "==", "!=", ":="}
	begun  = lazy.Regexp(`^(?:\$ |#!|//)`)
)

// endsIn reports whether the last character of a text is one of marks.
func endsIn(t, marks string) bool {
	last, _ := utf8.DecodeLastRuneInString(t)
	return strings.ContainsRune(marks, last)
}

// commands are names of shell commands, which agents do not highlight. Those in words are also
// English words.
const (
	commands = " npm npx pnpm yarn bun deno git cargo rustup pip pip3 uv poetry pytest python python3 docker " +
		"docker-compose kubectl helm terraform cmake cd ls curl wget sudo apt apt-get brew dnf mkdir rm cp mv ssh scp " +
		"chmod chown grep rg tar unzip bash sh zsh systemctl psql redis-cli sqlite3 aws gcloud gh sed awk ps java javac " +
		"mvn gradle dotnet ruby rails php composer "
	words = " go make node cat export find source touch head tail kill which bundle claude echo "
)

// invoked matches a command after a prompt, one that is named by its path, and one with a variable
// set for it; options matches one with an option or a path; passed matches arguments of a command,
// as opposed to further words of a sentence.
var (
	invoked = lazy.Regexp(`^(?:\$ |\./.* |[A-Z][A-Z0-9_]+=\S+ [a-z])`)
	options = lazy.Regexp(`^[a-z][a-z0-9-]+(?: \S+)* (?:--?[a-z][a-z-]*|\.{1,2}/\S*)(?:[ =]|$)`)
	passed  = lazy.Regexp(`^[^ ]+$|[-./=$:@|>&"]`)
)

// Command reports whether a line begins with a shell command and is not a sentence.
func Command(t string) bool {
	if invoked().MatchString(t) {
		return true
	}
	sentence := endsIn(t, ".:?,") && !strings.HasSuffix(t, "/...")
	if !sentence && options().MatchString(t) {
		return true
	}
	w, rest, _ := strings.Cut(t, " ")
	if rest == "" || sentence {
		return false
	}
	return strings.Contains(commands, " "+w+" ") || strings.Contains(words, " "+w+" ") && passed().MatchString(rest)
}
