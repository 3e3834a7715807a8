package render

import (
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/session"
)

//go:embed page
var pageFiles embed.FS

// page returns the templates of a page: page.html, and scripts.html, which is executed last. They
// are parsed when they are first used, since most commands write no page.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(pageFiles,
		"page/*.html"))
})

// Recording is a recording to show next to a conversation.
type Recording struct {
	Cast io.Reader                          // an asciicast, compressed by gzip
	Time func(*session.Entry) time.Duration // time in Cast at which an entry appears
}

// pageData is the data for the page's templates.
type pageData struct {
	Title          string
	Brief          []string // the facts at the top of the page
	Facts          []pageFact
	Items          iter.Seq[pageItem]
	Prompts        []pagePrompt
	CSS, PlayerCSS template.CSS
	JS, PlayerJS   template.JS
	Recording      bool
	License        string
}

type pageFact struct{ Name, Value string }

// pageItem is an event or a message. Clock is the time at which it appears in the recording, or the
// time of day if there is no recording.
type pageItem struct {
	Event                          string
	Seq                            int
	Role, Speaker, Clock, When, At string
	Body                           template.HTML
}

// pagePrompt is a line in the list of the user's prompts.
type pagePrompt struct {
	Seq         int
	Clock, Text string
}

// HTML writes t as one self-contained page: the conversation and, next to it, the recording in a
// player, if there is one. Nothing in t can become a script or make the page load anything.
func HTML(w io.Writer, t *session.Transcript, rec *Recording) error {
	p := pageData{Title: headingOf(&t.Session), Brief: briefOf(t), CSS: template.CSS(pageFile("page.css")),
		JS: template.JS(pageFile("page.js")), Prompts: promptsOf(t, rec)}
	for _, f := range factsOf(&t.Session) {
		p.Facts = append(p.Facts, pageFact{f.name, f.value})
	}
	if rec != nil {
		p.Recording, p.License = true, pageFile("asciinema-player.LICENSE")
		p.PlayerCSS, p.PlayerJS = template.CSS(pageFile("asciinema-player.css")),
			template.JS(script(pageFile("asciinema-player.min.js")))
	}
	p.Items = func(yield func(pageItem) bool) {
		for _, e := range t.Entries {
			if item, ok := newPageItem(e, &t.Session, rec); ok && !yield(item) {
				return
			}
		}
	}
	if err := page().ExecuteTemplate(w, "page.html", p); err != nil {
		return err
	}
	if rec != nil {
		if err := writeCast(w, rec.Cast, posterOf(t, rec)); err != nil {
			return err
		}
	}
	return page().ExecuteTemplate(w, "scripts.html", p)
}

// writeCast writes the compressed asciicast as an element of the page. The player first shows the
// screen at poster, in seconds.
func writeCast(w io.Writer, packed io.Reader, poster string) error {
	if _, err := fmt.Fprintf(w, `<script type="application/gzip" id="cast" data-poster="%s">`, poster); err != nil {
		return err
	}
	b := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := io.Copy(b, packed); err != nil {
		return err
	}
	if err := b.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "</script>\n")
	return err
}

// promptsOf returns the list of the user's prompts.
func promptsOf(t *session.Transcript, rec *Recording) (prompts []pagePrompt) {
	for _, e := range t.Entries {
		if e.Role != session.RoleUser {
			continue
		}
		at := e.At.UTC().Format(clock)
		if rec != nil && e.Type != session.TypeEvent {
			at = lapse(rec.Time(e))
		}
		prompts = append(prompts, pagePrompt{e.Seq, at, shorten(printable.Line(e.Text))})
	}
	return prompts
}

// posterOf returns the time of the first reply in the recording, in seconds, or "" if there is no
// reply.
func posterOf(t *session.Transcript, rec *Recording) string {
	for _, e := range t.Entries {
		if e.Role == session.RoleAssistant && e.Type != session.TypeEvent {
			return seconds(rec.Time(e))
		}
	}
	return ""
}

// script returns JavaScript with the control characters in its strings escaped, because a page may
// be written to a terminal.
func script(source string) string {
	var b strings.Builder
	for _, r := range source {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// briefOf returns the agents, folder, day and duration of a session, and the number of prompts.
func briefOf(t *session.Transcript) (brief []string) {
	s := &t.Session
	for _, a := range s.Agents {
		brief = append(brief, agentOf(a.Name, a.Version, a.Model))
	}
	if s.Cwd != "" {
		brief = append(brief, printable.Line(s.Cwd))
	}
	if !s.StartedAt.IsZero() {
		brief = append(brief, s.StartedAt.UTC().Format("2 January 2006, 15:04 UTC"))
	}
	if s.EndedAt != nil && !s.StartedAt.IsZero() {
		brief = append(brief, s.EndedAt.Sub(s.StartedAt).Round(time.Second).String())
	}
	prompts := 0
	for _, e := range t.Entries {
		if e.Role == session.RoleUser {
			prompts++
		}
	}
	if prompts == 1 {
		return append(brief, "1 prompt")
	}
	return append(brief, strconv.Itoa(prompts)+" prompts")
}

// lapse formats a time in a recording as the player does.
func lapse(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

func pageFile(name string) string {
	b, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(b)
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// newPageItem returns the item for an entry. It returns false if the entry is not shown.
func newPageItem(e *session.Entry, s *session.Session, rec *Recording) (pageItem, bool) {
	if e.Type == session.TypeEvent {
		text := eventText(e)
		return pageItem{Event: strings.TrimPrefix(text, e.At.UTC().Format(clock)+" "),
			When: e.At.UTC().Format(date)}, text != ""
	}
	// htmlBody has escaped the body.
	item := pageItem{Seq: e.Seq, Role: printable.Line(e.Role), Clock: e.At.UTC().Format(clock),
		When: e.At.UTC().Format(date), Body: template.HTML(htmlBody(e))}
	if rec != nil {
		at := rec.Time(e)
		item.At, item.Clock = seconds(at), lapse(at)
	}
	switch {
	case e.Role == session.RoleAssistant && e.Agent != "":
		item.Speaker = e.Agent
	case e.Role == session.RoleUser, e.Role == session.RoleAssistant:
		item.Speaker = speakerName(e, s)
	}
	return item, true
}

// htmlBody returns a message's text as HTML.
func htmlBody(e *session.Entry) string {
	var b strings.Builder
	text := func(html string) string { return `<div class="text">` + html + "</div>" }
	switch e.Role {
	case session.RoleAssistant:
		b.WriteString(text(markdownHTML(firstOf(e.Markdown, e.Text))))
	case session.RoleThinking:
		b.WriteString(`<details class="fold"><summary>Thinking</summary>` +
			text(markdownHTML(firstOf(e.Markdown, e.Text))) + "</details>")
	case session.RoleTool:
		b.WriteString(toolHTML(e))
	case session.RoleShell, session.RoleCommand:
		sign := "$"
		if e.Role == session.RoleCommand {
			sign = "›"
		}
		lines := `<span class="prompt">` + sign + " </span>" + escapeHTML(e.Text)
		if output := strings.TrimRight(e.Output, "\n"); output != "" {
			lines += "\n" + escapeHTML(output)
		}
		b.WriteString("<pre>" + lines + "</pre>")
	case session.RoleSystem:
		b.WriteString("<pre>" + escapeHTML(e.Text) + "</pre>")
	default:
		b.WriteString(`<div class="plain">` + escapeHTML(e.Text) + "</div>")
	}
	if status := statusText(e); status != "" {
		b.WriteString(`<p class="status">` + escapeHTML(status) + "</p>")
	}
	return b.String()
}

// toolHTML returns a tool call as one line, which can be unfolded if the screen showed more.
func toolHTML(e *session.Entry) string {
	title, input := toolTitle(e)
	head := "<strong>" + escapeHTML(title) + "</strong>"
	if name, rest, found := strings.Cut(title, ": "); found && e.Tool != nil {
		head = "<strong>" + escapeHTML(name) + "</strong> <code>" + escapeHTML(rest) + "</code>"
	}
	if status := toolStatus(e); status != "" {
		head += " <i>" + escapeHTML(status) + "</i>"
	}
	var more strings.Builder
	for _, part := range []string{input, toolOutput(e)} {
		if part = strings.TrimRight(part, "\n"); part != "" {
			more.WriteString("<pre>" + diffHTML(part) + "</pre>")
		}
	}
	if e.Tool != nil && e.Tool.Truncated {
		more.WriteString(`<p class="status">(the screen showed no more of it)</p>`)
	}
	if more.Len() == 0 {
		return `<div class="fold flat">` + head + "</div>"
	}
	return `<details class="fold"><summary>` + head + "</summary>" + more.String() + "</details>"
}

// diffHTML highlights the lines that a diff adds and removes.
func diffHTML(text string) string {
	lines := strings.Split(text, "\n")
	signs := diffSigns(lines)
	for i, line := range lines {
		lines[i] = escapeHTML(line)
		switch signs[i] {
		case '+':
			lines[i] = "<ins>" + lines[i] + "</ins>"
		case '-':
			lines[i] = "<del>" + lines[i] + "</del>"
		}
	}
	return strings.Join(lines, "\n")
}

func escapeHTML(text string) string { return template.HTMLEscapeString(printable.Text(text)) }
