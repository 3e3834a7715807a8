package render

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/ptyrec/ptyrec/internal/human/printable"
)

// markdownHTML renders a message for a page. HTML in it is shown as text, and pictures become
// links, so that the page loads nothing.
func markdownHTML(source string) string {
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(shownHTML{}, 1))),
	)
	var b bytes.Buffer
	if err := md.Convert([]byte(printable.Text(source)), &b); err != nil {
		return "<pre>" + escapeHTML(source) + "</pre>"
	}
	return printable.Text(b.String()) // character references are resolved now
}

// shownHTML renders HTML as text, and headings two levels lower, below the page's own.
type shownHTML struct{}

func (shownHTML) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus,
		error) {
		if entering {
			_, _ = w.WriteString(`<div class="plain">` + escapeHTML(string(n.Lines().Value(source))))
		} else {
			_, _ = w.WriteString("</div>\n")
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if raw, ok := n.(*ast.RawHTML); ok && entering {
			_, _ = w.WriteString(escapeHTML(string(raw.Segments.Value(source))))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if img, ok := n.(*ast.Image); ok && entering {
			_, _ = w.WriteString("🖼 " + openLink(img.Destination))
		} else {
			_, _ = w.WriteString("</a>")
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			_, _ = w.WriteString(openLink(link.Destination))
		} else {
			_, _ = w.WriteString("</a>")
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.AutoLink); ok && entering {
			to := link.URL(source)
			if link.AutoLinkType == ast.AutoLinkEmail {
				to = append([]byte("mailto:"), to...)
			}
			_, _ = w.WriteString(openLink(to) + escapeHTML(string(link.Label(source))) + "</a>")
		}
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindHeading, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		level := 6
		if h, ok := n.(*ast.Heading); ok {
			level = min(6, h.Level+lowered)
		}
		tag := "<h" + string(rune('0'+level)) + ">"
		if !entering {
			tag = "</" + tag[1:] + "\n"
		}
		_, _ = w.WriteString(tag)
		return ast.WalkContinue, nil
	})
}

// openLink returns the start tag of a link. If the link is not allowed, the tag has no destination.
func openLink(destination []byte) string {
	if !linkable(string(destination)) {
		return "<a>"
	}
	return `<a href="` + escapeHTML(string(util.URLEscape(destination, true))) + `">`
}
