package render

import (
	"strings"

	"github.com/yuin/goldmark/util"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/lazy"
)

// linkable reports whether a document may contain a link to a destination as written in Markdown:
// one with a scheme that printable.Link accepts, or without a scheme.
func linkable(destination string) bool {
	url := string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations([]byte(destination)))))
	url = strings.ReplaceAll(strings.TrimSpace(url), " ", "%20")
	colon := strings.IndexAny(url, ":/?#")
	return colon < 0 || url[colon] != ':' && printable.Line(url) == url || printable.Link(url)
}

// markdownLink matches where a link's destination begins in Markdown: after the link's text, in a
// definition, in angle brackets, and in HTML (CommonMark 6.3, 4.7, 6.5).
var markdownLink = lazy.Regexp(`\](\(|:)\s*<?\s*([^\s<>()]+)|<([A-Za-z][A-Za-z0-9.+-]*:[^\s<>]*)>|` +
	`<[A-Za-z][^<>]*?(?i:href|src|srcdoc|action|data|formaction|poster)\s*=\s*["']?\s*([^\s"'>]+)`)

// unlinked returns markdown in which links that are not linkable became text.
func unlinked(markdown string) string {
	return markdownLink().ReplaceAllStringFunc(markdown, func(m string) string {
		parts := markdownLink().FindStringSubmatch(m)
		switch {
		case parts[3] != "" && !linkable(parts[3]), parts[4] != "" && !linkable(parts[4]):
			return `\` + m
		case parts[2] != "" && !linkable(parts[2]):
			return `\` + m // escape the bracket that would end the link's text
		}
		return m
	})
}
