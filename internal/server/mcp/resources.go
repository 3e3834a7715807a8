package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptyrec/ptyrec/internal/lazy"
	"github.com/ptyrec/ptyrec/internal/render"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/session"
	"github.com/ptyrec/ptyrec/store"
)

const (
	sessionTemplate = "ptyrec://session/{id}"
	screenTemplate  = "ptyrec://session/{id}/screen"
	// newestListed is the number of sessions to list besides the live ones.
	newestListed = 50
	// maxResource is the maximum length of a resource, in characters.
	maxResource = 200_000
	// maxCompletions is the maximum number of values in a completion.
	maxCompletions = 100
)

// resourceURI matches the valid URIs. They contain nothing but an id.
var resourceURI = lazy.Regexp(`^ptyrec://session/([0-9A-Za-z_-]{1,100})(/screen)?$`)

func sessionURI(id string) string { return "ptyrec://session/" + id }
func screenURI(id string) string  { return sessionURI(id) + "/screen" }

// addResources adds the sessions as resources.
func (s *Server) addResources() {
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: sessionTemplate, Name: "session", Title: "Conversation of a session", Description: about,
		MIMEType: markdownType,
	}, s.readResource)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: screenTemplate, Name: "screen", Title: "Screen of a session", Description: about, MIMEType: textType,
	}, s.readResource)
	s.sdk.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (result sdk.Result, err error) {
			switch p := r.GetParams().(type) {
			case *sdk.ListResourcesParams:
				if method == "resources/list" {
					sys.LowPriority(func() { result, err = s.listResources(ctx, p) })
					return result, err
				}
			case *sdk.ReadResourceParams:
				if !resourceURI().MatchString(p.URI) {
					return nil, unknownResource(p.URI)
				}
				sys.LowPriority(func() { result, err = next(ctx, method, r) })
				return result, err
			case *sdk.CompleteParams:
				sys.LowPriority(func() { result, err = next(ctx, method, r) })
				return result, err
			}
			return next(ctx, method, r)
		}
	})
}

const (
	markdownType = "text/markdown"
	textType     = "text/plain"
)

// unknownResource returns the error for a URI that names no session.
func unknownResource(uri string) error {
	data, _ := json.Marshal(map[string]string{"uri": clip(uri, maxShown)}) // a string can always be encoded
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Resource not found", Data: data}
}

// listResources lists the live sessions and the newest ones.
func (s *Server) listResources(ctx context.Context, p *sdk.ListResourcesParams) (sdk.Result, error) {
	if p != nil && p.Cursor != "" {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the list has one page"}
	}
	out := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}, Cacheable: sdk.Cacheable{CacheScope: "private"}}
	db, err := s.open(ctx)
	if err != nil {
		return nil, s.resourceError(ctx, err)
	}
	if db == nil {
		return out, nil
	}
	live, err := db.Store.Sessions(ctx, store.Filter{Live: true})
	if err == nil {
		var newest []*store.Info
		newest, err = db.Store.Sessions(ctx, store.Filter{Limit: newestListed})
		live = append(live, slices.DeleteFunc(newest, func(i *store.Info) bool { return i.Status == store.Live })...)
	}
	if err != nil {
		return nil, s.resourceError(ctx, err)
	}
	for _, info := range live {
		name := strings.Join(append(agentNames(info), info.StartedAt.UTC().Format("2006-01-02 15:04"), info.Status), " ")
		title := fmt.Sprintf("%q", s.title(ctx, db, info))
		out.Resources = append(out.Resources, &sdk.Resource{URI: sessionURI(info.ID), Name: name, Title: title,
			Description: about, MIMEType: markdownType})
		if info.Status == store.Live {
			out.Resources = append(out.Resources, &sdk.Resource{URI: screenURI(info.ID), Name: "screen of " + name,
				Title: title, Description: about, MIMEType: textType})
		}
	}
	return out, nil
}

func agentNames(info *store.Info) (names []string) {
	for _, a := range info.Agents {
		if name := oneWord(a.Name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// resourceError converts an error to one of the protocol.
func (s *Server) resourceError(ctx context.Context, err error) error {
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) {
		return e
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: s.explain(ctx, err)}
}

// findResource returns the session in a URI, which must contain its full id.
func (s *Server) findResource(ctx context.Context, uri string) (db *Archive, info *store.Info, ofScreen bool,
	err error) {
	m := resourceURI().FindStringSubmatch(uri)
	if m == nil {
		return nil, nil, false, unknownResource(uri)
	}
	if db, err = s.open(ctx); err != nil {
		return nil, nil, false, s.resourceError(ctx, err)
	}
	if db == nil {
		return nil, nil, false, unknownResource(uri)
	}
	info, err = db.Store.Find(ctx, m[1])
	if errors.Is(err, session.ErrNotFound) || errors.Is(err, session.ErrAmbiguous) || err == nil && info.ID != m[1] {
		return nil, nil, false, unknownResource(uri)
	}
	if err != nil {
		return nil, nil, false, s.resourceError(ctx, err)
	}
	return db, info, m[2] != "", nil
}

func (s *Server) readResource(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	ctx, cancel := s.bounded(ctx)
	defer cancel()
	db, info, ofScreen, err := s.findResource(ctx, r.Params.URI)
	if err != nil {
		return nil, err
	}
	out := &sdk.ResourceContents{URI: r.Params.URI, MIMEType: markdownType}
	if ofScreen {
		var shown shot
		shown, err = s.shot(ctx, db, info, math.Inf(1))
		out.Text, out.MIMEType = about+"\n"+recorded(shown.Text), textType
	} else {
		out.Text, err = s.markdown(ctx, db, info)
	}
	if err != nil {
		return nil, s.resourceError(ctx, err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{out}}, nil
}

// markdown returns the conversation of a session as Markdown.
func (s *Server) markdown(ctx context.Context, db *Archive, info *store.Info) (string, error) {
	const room = maxResource - 1000 // without what is around the conversation
	of := info.Session
	of.Title, of.Cwd, of.Command, of.Agents = s.title(ctx, db,
		info), s.line(info.Cwd), []string{s.command(info.Command)}, nil
	for _, a := range info.Agents {
		of.Agents = append(of.Agents, session.Agent{Name: s.line(a.Name), Version: s.line(a.Version), Model: s.line(a.Model)})
	}
	t := &session.Transcript{Session: of}
	size := 0
	r := &reader{s: s, db: db, info: info, tools: toolsFull}
	err := r.each(ctx, func(e *session.Entry, text string) bool {
		t.Entries = append(t.Entries, e)
		size += utf8.RuneCountInString(text)
		return size < room
	})
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := render.Write(&b, "md", t); err != nil {
		return "", err
	}
	text, note := b.String(), ""
	if utf8.RuneCountInString(text) > room {
		text, note = clip(text, room),
			fmt.Sprintf("\nThis is not all: a resource has at most %d characters. The tool read_session reads the rest.",
				maxResource)
	}
	return about + "\n" + recorded(text) + note, nil
}

// complete completes the id of a session, in a template or as the argument of a prompt.
func (s *Server) complete(ctx context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	out := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	if name := r.Params.Argument.Name; name != "id" && name != "session" {
		return out, nil
	}
	db, err := s.open(ctx)
	if err != nil {
		return nil, s.resourceError(ctx, err)
	}
	if db == nil {
		return out, nil
	}
	infos, err := db.Store.Sessions(ctx, store.Filter{})
	if err != nil {
		return nil, s.resourceError(ctx, err)
	}
	for _, info := range infos {
		if session.Matches(info.ID, r.Params.Argument.Value) {
			if out.Completion.Total++; out.Completion.Total <= maxCompletions {
				out.Completion.Values = append(out.Completion.Values, info.ID)
			}
		}
	}
	out.Completion.HasMore = out.Completion.Total > maxCompletions
	return out, nil
}
