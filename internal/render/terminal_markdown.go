package render

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// Markdown for terminals: CommonMark and GitHub's tables as goldmark parses them. (glamour does the
// same, but takes 30 ms at the start of every command to load its highlighter.)

// markdown renders a message. It keeps line breaks, because the extractor has already joined
// wrapped lines.
func (t *Terminal) markdown(source string) string {
	parser := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()
	m := &terminalMarkdown{Terminal: t, source: []byte(source)}
	out := strings.TrimRight(m.blocksOf(parser.Parse(text.NewReader(m.source)), 0), "\n")
	return strings.Join(evenStyles(strings.Split(out, "\n")), "\n")
}

type terminalMarkdown struct {
	*Terminal
	source []byte
}

// blocksOf renders the blocks below n, separated by empty lines unless they are tight.
func (m *terminalMarkdown) blocksOf(n ast.Node, indent int) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.PreviousSibling() != nil && !tight(c) {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(m.block(c, indent), "\n") + "\n")
	}
	return b.String()
}

// tight reports whether a block has no empty line above it: a list item, or a block in one.
func tight(n ast.Node) bool {
	if n.Kind() == ast.KindListItem {
		list, ok := n.Parent().(*ast.List)
		return ok && list.IsTight
	}
	return n.Kind() == ast.KindTextBlock || n.Parent().Kind() == ast.KindListItem && n.Kind() == ast.KindList
}

func (m *terminalMarkdown) block(n ast.Node, indent int) string {
	switch n := n.(type) {
	case *ast.Heading:
		return m.narrow(indent).paintLines("1;34", m.narrow(indent).wrap(strings.Repeat("#", n.Level)+" "+m.plainOf(n), ""))
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return indentBy(m.paintLines(sgrCyan, strings.TrimRight(m.linesOf(n), "\n")), "    ")
	case *ast.Blockquote:
		return indentBy(strings.TrimRight(m.blocksOf(n, indent+2), "\n"), m.paint(sgrDim, "│")+" ")
	case *ast.List:
		return m.list(n, indent)
	case *ast.ThematicBreak:
		return m.paint(sgrDim, "────────")
	case *extast.Table:
		return m.table(n, indent)
	case *ast.HTMLBlock:
		return strings.TrimRight(m.linesOf(n), "\n")
	}
	if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		return m.blocksOf(n, indent)
	}
	return m.narrow(indent).wrap(m.inlines(n), "")
}

// narrow returns a terminal that is narrower by an indentation.
func (m *terminalMarkdown) narrow(indent int) *Terminal {
	t := *m.Terminal
	if t.Width > 0 {
		t.Width = max(20, t.Width-indent)
	}
	return &t
}

func (m *terminalMarkdown) list(n *ast.List, indent int) string {
	var b strings.Builder
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		if item.PreviousSibling() != nil && !n.IsTight {
			b.WriteByte('\n')
		}
		pad := strings.Repeat(" ", len([]rune(mark)))
		body := strings.TrimRight(m.blocksOf(item, indent+len(pad)), "\n")
		b.WriteString(mark + strings.TrimPrefix(indentBy(body, pad), pad) + "\n")
	}
	return b.String()
}

// table lays out the columns. If they do not fit, each row becomes lines of "column: value".
func (m *terminalMarkdown) table(n *extast.Table, indent int) string {
	var rows [][]string
	var widths []int
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			text := strings.ReplaceAll(m.inlines(c), "\n", " ")
			if len(row) == len(widths) {
				widths = append(widths, 0)
			}
			widths[len(row)] = max(widths[len(row)], ansi.StringWidth(text))
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	total := indent + margin
	for _, w := range widths {
		total += w + 3
	}
	if m.Width > 0 && total > m.Width {
		return m.records(rows, indent)
	}
	var b strings.Builder
	for i, row := range rows {
		var cells []string
		for c, text := range row {
			text += strings.Repeat(" ", widths[c]-ansi.StringWidth(text))
			if i == 0 {
				text = m.paint(sgrBold, text)
			}
			cells = append(cells, text)
		}
		b.WriteString(strings.TrimRight(strings.Join(cells, m.paint(sgrDim, " │ ")), " ") + "\n")
		if i == 0 {
			var rules []string
			for _, w := range widths {
				rules = append(rules, strings.Repeat("─", w))
			}
			b.WriteString(m.paint(sgrDim, strings.Join(rules, "─┼─")) + "\n")
		}
	}
	return b.String()
}

func (m *terminalMarkdown) records(rows [][]string, indent int) string {
	var out []string
	for _, row := range rows[1:] {
		var lines []string
		for c, text := range row {
			lines = append(lines, m.narrow(indent).wrap(m.paint(sgrBold, rows[0][c]+":")+" "+text, "  "))
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	return strings.Join(out, "\n\n")
}

// linesOf returns the source lines of a block of code.
func (m *terminalMarkdown) linesOf(n ast.Node) string {
	return untabbed(string(n.Lines().Value(m.source)))
}

// plainOf returns a node's text without styles, for a node that has its own style.
func (m *terminalMarkdown) plainOf(n ast.Node) string {
	plain := *m.Terminal
	plain.Color = false
	return (&terminalMarkdown{Terminal: &plain, source: m.source}).inlines(n)
}

func (m *terminalMarkdown) inlines(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(m.inline(c))
	}
	return b.String()
}

func (m *terminalMarkdown) inline(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Text:
		return m.text(n)
	case *ast.String:
		return untabbed(printable.Text(string(n.Value)))
	case *ast.CodeSpan:
		return m.paint(sgrCyan, strings.ReplaceAll(m.plainOf(n), "\n", " "))
	case *ast.Emphasis:
		if n.Level > 1 {
			return m.paint(sgrBold, m.plainOf(n))
		}
		return m.paint(sgrItalic, m.plainOf(n))
	case *extast.Strikethrough:
		return m.paint(sgrStrike, m.plainOf(n))
	case *extast.TaskCheckBox:
		if n.IsChecked {
			return "[x] "
		}
		return "[ ] "
	case *ast.Link:
		return m.link(m.plainOf(n), string(n.Destination))
	case *ast.Image:
		return m.link(m.plainOf(n), string(n.Destination))
	case *ast.AutoLink:
		return m.paint(sgrLine, string(n.URL(m.source)))
	case *ast.RawHTML:
		return untabbed(string(n.Segments.Value(m.source)))
	}
	return m.inlines(n)
}

func (m *terminalMarkdown) text(n *ast.Text) string {
	s := string(n.Value(m.source))
	if !n.IsRaw() {
		s = string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations([]byte(s)))))
	}
	if n.SoftLineBreak() || n.HardLineBreak() {
		s += "\n"
	}
	return untabbed(printable.Text(s))
}

func (m *terminalMarkdown) link(label, to string) string {
	if to = printable.Text(to); label == to || label == "" {
		return m.paint(sgrLine, to)
	}
	return m.paint(sgrLine, label) + " (" + to + ")"
}
