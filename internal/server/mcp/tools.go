package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/session"
)

// tool is a tool that clients can call.
type tool struct {
	name, title, about string
	params             []param
	result             field // see outputSchema; empty: no schema, to keep the list of tools short
	reads              bool  // it only reads, at a low priority
	types              bool  // it types into sessions, or starts and ends them
	meta               sdk.Meta
	run                func(ctx context.Context, c *toolCall) (answer, error)
}

// toolCall is a call of a tool.
type toolCall struct {
	request *sdk.CallToolRequest
	arguments
}

// answer is the result of a call, in both forms: some clients show a model one, some the other.
type answer struct {
	structured any
	text       string
	input      sdk.InputRequestMap // a question for the user; everything else is then empty
	state      string              // the client sends it back with the user's answer
}

func (s *Server) tools() []tool {
	tools := []tool{s.listTool(), s.searchTool(), s.readTool(), s.screenTool(), s.waitTool()}
	if s.Write {
		tools = append(tools, s.sendTool(), s.promptTool())
	}
	if s.Write && s.Start != nil {
		tools = append(tools, s.startTool(), s.stopTool())
	}
	return tools
}

// add adds a tool to the server.
func (s *Server) add(t tool) {
	closed := false
	hints := &sdk.ToolAnnotations{ReadOnlyHint: !t.types, IdempotentHint: !t.types, OpenWorldHint: &closed}
	if t.types {
		destroys := true
		hints.DestructiveHint = &destroys
	}
	offered := &sdk.Tool{Meta: t.meta, Name: t.name, Title: t.title, Description: t.about,
		InputSchema: inputSchema(t.params), Annotations: hints}
	if t.result != "" {
		offered.OutputSchema = outputSchema(t.result)
	}
	s.sdk.AddTool(offered, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, cancel := s.bounded(ctx)
		defer cancel()
		a, err := s.call(ctx, t, r)
		if err != nil {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: s.explain(ctx, err)}}}, nil
		}
		if a.input != nil {
			return &sdk.CallToolResult{InputRequests: a.input, RequestState: a.state}, nil
		}
		return &sdk.CallToolResult{StructuredContent: a.structured,
			Content: []sdk.Content{&sdk.TextContent{Text: a.text}}}, nil
	})
}

func (s *Server) call(ctx context.Context, t tool, r *sdk.CallToolRequest) (answer, error) {
	a, err := readArguments(t.name, t.params, r.Params.Arguments)
	if err != nil {
		return answer{}, err
	}
	c := &toolCall{r, a}
	if !t.reads {
		return t.run(ctx, c)
	}
	var out answer
	sys.LowPriority(func() { out, err = t.run(ctx, c) })
	return out, err
}

// Parameters that several tools have.
var (
	sessionParam = param{name: "session", kind: kindText, about: "Id or its end, last, or a ref", required: true,
		most: 200}
	cursorParam  = param{name: "cursor", kind: kindText, about: "next_cursor of the last page"}
	filterParams = []param{
		{name: "agent", kind: kindText, about: "claude, codex, copilot, gemini, kilo, opencode, pi, qwen"},
		{name: "command", kind: kindText, about: "Part of it"},
		{name: "cwd", kind: kindText, about: "Folder, or one above it"},
		{name: "tag", kind: kindText, about: "A tag"},
		{name: "since", kind: kindText, about: "Start: 2026-11-20, yesterday, 3d"},
		{name: "until", kind: kindText, about: "Start, to the end of that day"},
		{name: "live", kind: kindBoolean, about: "Running now"},
	}
)

func limitParam(most, standard float64) param {
	return param{name: "limit", kind: kindWhole, about: "Page size", least: 1, most: most, standard: int(standard)}
}

// roles are the roles of messages.
var roles = []string{
	session.RoleUser, session.RoleAssistant, session.RoleTool, session.RoleThinking, session.RoleCommand,
	session.RoleShell, session.RoleSystem,
}

// more explains how to get the next page.
func more(cursor string) string {
	if cursor == "" {
		return ""
	}
	return fmt.Sprintf("\nThere is more: repeat the call with cursor %q.", cursor)
}

// counted returns a number with a noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
