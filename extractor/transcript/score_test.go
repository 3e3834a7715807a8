package transcript_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ptyrec/ptyrec/session"
)

// groundTruth is what a faithful transcript of a recording holds.
type groundTruth struct {
	Name    string      `json:"name"`
	Agent   string      `json:"agent"`
	Version string      `json:"version"`
	Entries []wantEntry `json:"entries"`
}

// wantEntry is one message or event of a truth.
type wantEntry struct {
	Event       string `json:"event"`
	Role        string `json:"role"`
	Text        string `json:"text"`
	Op          string `json:"op"`
	Contains    string `json:"contains"`
	Output      string `json:"output"`
	Shown       bool   `json:"shown"`
	OutputShown bool   `json:"outputShown"`
	Partial     bool   `json:"partial"`
	Optional    bool   `json:"optional"`
}

// figures are shares from 0 to 1.
type figures struct{ exact, chars, tools, code, markdown, events share }

// share is right of all; 1 if there is nothing to be right in.
type share struct{ right, all float64 }

func (s *share) add(right bool) {
	s.all++
	if right {
		s.right++
	}
}

// value is the share as a number, and whether there is one.
func (s share) value() (float64, bool) {
	if s.all == 0 {
		return 1, false
	}
	return s.right / s.all, true
}

// score judges the entries of a transcript. The notes name what is wrong.
func score(truth groundTruth, got []*session.Entry) (f figures, notes []string) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	var want []wantEntry
	for _, t := range truth.Entries {
		if t.Role != "" && !t.Optional {
			want = append(want, t)
		}
	}
	var have []*session.Entry
	for _, g := range got {
		if g.Role != "" && g.Role != session.RoleThinking && g.Role != session.RoleSystem {
			have = append(have, g)
		}
	}
	pairs := align(want, have)
	used := map[int]bool{}
	talkHave := 0
	for _, g := range have {
		if isTalk(g.Role) {
			talkHave++
		}
	}
	talkWant, exact := 0, 0
	for i, t := range want {
		var g *session.Entry
		if j, ok := pairs[i]; ok {
			g, used[j] = have[j], true
		}
		switch {
		case t.Role == session.RoleTool:
			if t.Shown {
				ok := g != nil && strings.Contains(toolText(g), head(t.Contains)) &&
					(!t.OutputShown || strings.Contains(toolText(g), squeeze(t.Output)))
				f.tools.add(ok)
				if !ok {
					note("tool %s %.60q", t.Op, t.Contains)
				}
			}
		case !isTalk(t.Role):
			ok := g != nil && strings.Contains(squeeze(g.Text+g.Output), squeeze(t.Output))
			f.tools.add(ok)
			if !ok {
				note("%s %.60q", t.Role, t.Text)
			}
		default:
			talkWant++
			if scoreTalk(&f, t, g, note) {
				exact++
			}
		}
	}
	for j, g := range have {
		if isTalk(g.Role) && !used[j] {
			note("%s spurious: %.90q", g.Role, g.Text)
		}
	}
	f.exact = share{2 * float64(exact), float64(talkWant + talkHave)}
	f.events = scoreEvents(truth, got)
	if v, _ := f.events.value(); v < 1 {
		note("events")
	}
	return f, notes
}

func isTalk(role string) bool { return role == session.RoleUser || role == session.RoleAssistant }

// scoreTalk judges one message of the user or the assistant; exact reports whether it has the words
// of the truth.
func scoreTalk(f *figures, t wantEntry, g *session.Entry, note func(string, ...any)) (exact bool) {
	a := tight(t.Text)
	if !t.Partial {
		f.chars.all += float64(len([]rune(a)))
	}
	text, md := "", ""
	if g != nil {
		text, md = g.Text, g.Markdown
	}
	switch {
	case g == nil:
		note("%s missing: %.70q", t.Role, t.Text)
	case t.Partial || plainWords(t.Text) == plainWords(text) || plainWords(t.Text) == plainWords(md):
		exact = true
	default:
		note("%s differs: want %s", t.Role, difference(plainWords(t.Text), plainWords(text)))
	}
	if g != nil && !t.Partial {
		off := min(distance(a, tight(text)), distance(a, tight(md))) // the text of code may look like Markdown
		f.chars.right += max(0, float64(len([]rune(a))-off))
	}
	if t.Role != session.RoleAssistant || t.Partial {
		return exact
	}
	for _, b := range codeBlocks(t.Text) {
		ok := holds(b, md) || holds(b, text)
		f.code.add(ok)
		if !ok && g != nil {
			note("code block not verbatim: %q", b[0])
		}
	}
	lines := markLines(md)
	for _, m := range marks(t.Text) {
		ok := slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, m) })
		f.markdown.add(ok)
		if !ok && g != nil {
			note("markdown lost: %.60q", m)
		}
	}
	return exact
}

// eventNames are a transcript's events as a truth names them.
var eventNames = map[string]string{session.EventNewSession: "start", session.EventClear: "clear",
	session.EventCLIExit: "exit", session.EventInterrupted: "interrupt"}

func scoreEvents(truth groundTruth, got []*session.Entry) share {
	var want []string
	extra := 0
	for _, t := range truth.Entries {
		if t.Event != "" {
			want = append(want, t.Event)
			if t.Event != "exit" {
				extra--
			}
		}
	}
	k := 0
	for _, g := range got {
		name := eventNames[g.Event]
		if name == "" {
			continue
		}
		if name != "exit" {
			extra++
		}
		if k < len(want) && want[k] == name {
			k++
		}
	}
	return share{float64(max(0, k-max(0, extra))), float64(len(want))}
}

var (
	fenceLine   = regexp.MustCompile("^\\s*(`{3,}|~{3,})(.*)$")
	tableRule   = regexp.MustCompile(`^\s*\|?[\s:|-]*-{3,}[\s:|-]*$`)
	headingSign = regexp.MustCompile(`^\s*(#{1,6}\s+)`)
	quoteSign   = regexp.MustCompile(`^\s*[>▎▌│┃]\s?`)
	bulletSign  = regexp.MustCompile(`^\s*[-*+•●◦▪]\s+`)
	numberSign  = regexp.MustCompile(`^\s*(\d+|[a-z]|[ivx]{1,4})[.)]\s+`)
	boldMark    = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	italicMark  = regexp.MustCompile(`(^|[\s(])\*([^*\s][^*]*)\*([\s).,;:!?]|$)`)
	codeMark    = regexp.MustCompile("`([^`]+)`")
	boxSign     = regexp.MustCompile(`[\x{2500}-\x{257f}|]`)
	spaces      = regexp.MustCompile(`\s+`)
)

// plainWords is the bare words of a Markdown or screen text.
func plainWords(s string) string {
	var out []string
	var f fence
	for _, l := range strings.Split(strings.ReplaceAll(s, "\r", ""), "\n") {
		if f.line(l) {
			continue
		}
		if f.open == "" {
			if tableRule.MatchString(l) {
				continue
			}
			for _, re := range []*regexp.Regexp{headingSign, quoteSign, bulletSign, numberSign} {
				if at := re.FindStringIndex(l); at != nil {
					l = l[at[1]:]
				}
			}
			l = boldMark.ReplaceAllString(l, "$1")
			for was := ""; was != l; { // RE2 has no look-ahead: what ends one italic may begin the next
				was, l = l, italicMark.ReplaceAllString(l, "$1$2$3")
			}
			l = codeMark.ReplaceAllString(l, "$1")
		}
		out = append(out, boxSign.ReplaceAllString(l, " "))
	}
	return strings.TrimSpace(spaces.ReplaceAllString(strings.Join(out, "\n"), " "))
}

// tight is plainWords without white space.
func tight(s string) string { return strings.ReplaceAll(plainWords(s), " ", "") }

func squeeze(s string) string { return spaces.ReplaceAllString(s, "") }

// head is the beginning of a tool's input, as agents show it.
func head(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	r := []rune(squeeze(first))
	return string(r[:min(40, len(r))])
}

func toolText(g *session.Entry) string {
	s := g.Text
	if g.Tool != nil {
		s += g.Tool.Name + g.Tool.Input + g.Tool.Output
	}
	return squeeze(s)
}

// fence follows the fences of a text line by line, as CommonMark has them: as many signs or more
// close one, and nothing follows them.
type fence struct{ open string }

// line reports whether a line opens or closes a fence.
func (f *fence) line(l string) bool {
	m := fenceLine.FindStringSubmatch(l)
	switch {
	case m == nil:
		return false
	case f.open == "":
		f.open = m[1]
		return true
	case strings.HasPrefix(m[1], f.open) && strings.TrimSpace(m[2]) == "":
		f.open = ""
		return true
	}
	return false
}

// codeBlocks returns the lines of each fenced block.
func codeBlocks(md string) [][]string {
	var out [][]string
	var cur []string
	var f fence
	for _, l := range strings.Split(md, "\n") {
		switch {
		case f.line(l):
			if f.open == "" {
				out = append(out, cur)
			}
			cur = nil
		case f.open != "":
			cur = append(cur, l)
		}
	}
	return out
}

// holds reports whether a text holds lines verbatim, one under the other, tabs drawn as some number
// of blanks.
func holds(lines []string, text string) bool {
	got := strings.Split(text, "\n")
	for i := range got {
		got[i] = strings.TrimRight(got[i], " \t")
	}
	for _, n := range []int{4, 2, 8, 0} {
		want := make([]string, len(lines))
		for i, l := range lines {
			if n > 0 {
				rest := strings.TrimLeft(l, "\t")
				l = strings.Repeat(" ", n*(len(l)-len(rest))) + rest
			}
			want[i] = strings.TrimRight(l, " \t")
		}
		for k := 0; k+len(want) <= len(got); k++ {
			base := strings.Index(got[k], want[0])
			if base < 0 || strings.TrimSpace(got[k][:base]) != "" {
				continue
			}
			pad, ok := got[k][:base], true
			for i, l := range want {
				if g := got[k+i]; g != l && (l == "" && g != "" || l != "" && g != pad+l) {
					ok = false
				}
			}
			if ok {
				return true
			}
		}
	}
	return false
}

var (
	headingLine = regexp.MustCompile(`^#{1,6} (.*)`)
	itemLine    = regexp.MustCompile(`^\s*([-*]|\d+\.) (.*)`)
	inlineMark  = regexp.MustCompile("\\*\\*[^*]+\\*\\*|`[^`]+`")
	unmark      = strings.NewReplacer("*", "", "`", "")
)

// marks returns the headings, plain list items, table rows, bold and code spans of a Markdown text.
func marks(md string) []string {
	var out []string
	var f fence
	for _, l := range strings.Split(md, "\n") {
		if f.line(l) || f.open != "" {
			continue
		}
		if m := headingLine.FindStringSubmatch(l); m != nil {
			out = append(out, "# "+unmark.Replace(m[1]))
		}
		if m := itemLine.FindStringSubmatch(l); m != nil && !strings.ContainsAny(m[2], "*`") {
			r := []rune(m[2])
			out = append(out, strings.Replace(m[1], "*", "-", 1)+" "+string(r[:min(30, len(r))]))
		}
		if strings.HasPrefix(l, "|") && !strings.Contains(l, "---") {
			out = append(out, cells(l))
		}
		out = append(out, inlineMark.FindAllString(l, -1)...)
	}
	return out
}

func cells(row string) string {
	var out []string
	for _, c := range strings.Split(row, "|") {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return strings.Join(out, "|")
}

// markLines are a transcript's lines in the form that marks has.
func markLines(md string) []string {
	lines := strings.Split(md, "\n")
	for i, l := range lines {
		l = strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(l, "|"):
			l = cells(l)
		case strings.HasPrefix(l, "* "), strings.HasPrefix(l, "+ "):
			l = "- " + l[2:]
		default:
			if m := headingLine.FindStringSubmatch(l); m != nil {
				l = "# " + unmark.Replace(m[1])
			}
		}
		lines[i] = l
	}
	return lines
}

// align pairs the entries of truth and transcript in order, with the largest total likeness.
func align(want []wantEntry, have []*session.Entry) map[int]int {
	n, m := len(want), len(have)
	like := make([][]float64, n)
	best := make([][]float64, n+1)
	best[n] = make([]float64, m+1)
	for i := n - 1; i >= 0; i-- {
		like[i], best[i] = make([]float64, m), make([]float64, m+1)
		for j := m - 1; j >= 0; j-- {
			if l := likeness(want[i], have[j]); l >= 0.5 {
				like[i][j] = l
			}
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if l := like[i][j]; l > 0 {
				best[i][j] = max(best[i][j], l+best[i+1][j+1])
			}
		}
	}
	pairs := map[int]int{}
	for i, j := 0, 0; i < n && j < m; {
		switch l := like[i][j]; {
		case l > 0 && best[i][j] == l+best[i+1][j+1]:
			pairs[i] = j
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return pairs
}

func likeness(t wantEntry, g *session.Entry) float64 {
	switch {
	case t.Role != g.Role:
		return 0
	case t.Role == session.RoleTool:
		if !t.Shown || strings.Contains(toolText(g), head(t.Contains)) {
			return 1
		}
		return 0.55
	case !isTalk(t.Role):
		if strings.Contains(squeeze(g.Text), squeeze(t.Text)) {
			return 1
		}
		return 0
	}
	a, b := tight(t.Text), tight(g.Text)
	if t.Partial {
		r := []rune(strings.TrimSuffix(b, "…"))
		if len(r) > 0 && strings.HasPrefix(a, string(r[:max(1, len(r)-3)])) {
			return 1
		}
		return 0
	}
	la, lb := len([]rune(a)), len([]rune(b))
	if max(la, lb) == 0 {
		return 1
	}
	if float64(min(la, lb))/float64(max(la, lb)) < 0.5 {
		return 0
	}
	return 1 - float64(distance(a, b))/float64(max(la, lb))
}

// distance is the Levenshtein distance in characters.
func distance(s, t string) int {
	a, b := []rune(s), []rune(t)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > 4e7 {
		return max(len(a), len(b))
	}
	prev, cur := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range a {
		cur[0] = i + 1
		for j := range b {
			d := prev[j]
			if a[i] != b[j] {
				d++
			}
			cur[j+1] = min(d, prev[j+1]+1, cur[j]+1)
		}
		prev, cur = cur, prev
	}
	return prev[len(b)]
}

// difference shows where two texts part.
func difference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	i = max(0, i-25)
	part := func(s string) string { return fmt.Sprintf("%q", s[i:min(len(s), i+80)]) }
	return part(a) + " got " + part(b)
}
