package render

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/session"
)

//go:embed page
var pageFiles embed.FS

// page is parsed when it is wanted: most commands write none.
var page = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(pageFiles, "page/page.html")) })

// Recording is a recording that stands beside a conversation.
type Recording struct {
	Cast []byte                             // an asciicast
	Time func(*session.Entry) time.Duration // when an entry appears in it
}

// pageData is what page.html is filled with.
type pageData struct {
	Title           string
	Facts           []pageFact
	Items           []pageItem
	CSS, PlayerCSS  template.CSS
	JS, PlayerJS    template.JS
	Cast            template.HTML // base64, whose + is no mark-up
	Poster, License string
}

type pageFact struct{ Name, Value string }

// pageItem is an event, or a message.
type pageItem struct {
	Event                    string
	Seq                      int
	Role, Speaker, Clock, At string
	Body                     template.HTML
}

// HTML writes t as one page that needs nothing from elsewhere: the conversation, and beside it the recording in a player, if
// there is one. Nothing in t can become a script, or make the page ask for anything.
func HTML(w io.Writer, t *session.Transcript, rec *Recording) error {
	p := pageData{Title: titleOf(&t.Session), CSS: template.CSS(pageFile("page.css")), JS: template.JS(pageFile("page.js"))}
	for _, f := range factsOf(&t.Session) {
		p.Facts = append(p.Facts, pageFact{f.name, f.value})
	}
	if rec != nil {
		packed, err := pack(rec.Cast)
		if err != nil {
			return err
		}
		p.Cast, p.License = template.HTML(packed), pageFile("asciinema-player.LICENSE")
		p.PlayerCSS, p.PlayerJS = template.CSS(pageFile("asciinema-player.css")), template.JS(pageFile("asciinema-player.min.js"))
	}
	for _, e := range t.Entries {
		item, ok := newPageItem(e, &t.Session)
		if !ok {
			continue
		}
		if rec != nil {
			item.At = seconds(rec.Time(e))
			if p.Poster == "" && e.Role == session.RoleAssistant {
				p.Poster = item.At
			}
		}
		p.Items = append(p.Items, item)
	}
	return page().Execute(w, p)
}

func pageFile(name string) string {
	b, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(b)
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// pack compresses data as a page can hold it.
func pack(data []byte) (string, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := z.Write(data); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

func newPageItem(e *session.Entry, s *session.Session) (pageItem, bool) {
	if e.Type == session.TypeEvent {
		text := eventText(e)
		return pageItem{Event: text}, text != ""
	}
	speaker := speakerName(e, s)
	if e.Role == session.RoleTool || e.Role == session.RoleThinking {
		speaker = strings.ToUpper(e.Role[:1]) + e.Role[1:]
	}
	return pageItem{
		Seq: e.Seq, Role: e.Role, Speaker: speaker, Clock: e.At.UTC().Format(clock), Body: template.HTML(htmlBody(e)), // all of it is escaped
	}, true
}

// htmlBody gives a message's text as HTML.
func htmlBody(e *session.Entry) string {
	var b strings.Builder
	switch e.Role {
	case session.RoleAssistant:
		b.WriteString(markdownHTML(firstOf(e.Markdown, e.Text)))
	case session.RoleThinking:
		b.WriteString("<details><summary>Thinking</summary>" + markdownHTML(firstOf(e.Markdown, e.Text)) + "</details>")
	case session.RoleTool:
		b.WriteString(toolHTML(e))
	case session.RoleShell:
		b.WriteString("<pre>$ " + escapeHTML(e.Text+"\n"+strings.TrimRight(e.Output, "\n")) + "</pre>")
	case session.RoleSystem:
		b.WriteString("<pre>" + escapeHTML(e.Text) + "</pre>")
	default:
		b.WriteString(`<div class="plain">` + escapeHTML(e.Text) + "</div>")
		if e.Output != "" {
			b.WriteString("<pre>" + escapeHTML(e.Output) + "</pre>")
		}
	}
	if status := statusText(e); status != "" {
		b.WriteString(`<p class="status">` + escapeHTML(status) + "</p>")
	}
	return b.String()
}

func toolHTML(e *session.Entry) string {
	title, input := toolTitle(e)
	if status := toolStatus(e); status != "" {
		title += " (" + status + ")"
	}
	var b strings.Builder
	b.WriteString("<details><summary>" + escapeHTML(title) + "</summary>")
	for _, part := range []string{input, toolOutput(e)} {
		if part = strings.TrimRight(part, "\n"); part != "" {
			b.WriteString("<pre>" + escapeHTML(part) + "</pre>")
		}
	}
	if e.Tool != nil && e.Tool.Truncated {
		b.WriteString(`<p class="status">(the screen showed no more of it)</p>`)
	}
	return b.String() + "</details>"
}

func escapeHTML(text string) string { return template.HTMLEscapeString(printable(text)) }
