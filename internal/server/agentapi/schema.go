package agentapi

import (
	_ "embed" // the document of the API
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

//go:embed openapi.json
var openapiSource []byte

// The forms of the API's document.
type documentForm int

const (
	openapi31 documentForm = iota
	openapi31YAML
	openapi30
	openapi30YAML
)

// OpenAPI30 returns the API's document as OpenAPI 3.0, indented.
func OpenAPI30() []byte {
	text, _ := json.MarshalIndent(downgraded(parsed()), "", "  ") // it was decoded from JSON
	return append(text, '\n')
}

// parsed returns the API's document.
func parsed() map[string]any {
	var doc map[string]any
	if err := json.Unmarshal(openapiSource, &doc); err != nil {
		panic(err) // the file is embedded
	}
	return doc
}

// document returns a handler that responds with one form of the API's document. Its paths include
// the prefix.
func (a *API) document(form documentForm) handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		doc := parsed()
		if a.Prefix != "" {
			doc["servers"] = []any{map[string]any{"url": a.Prefix}}
		}
		if form == openapi30 || form == openapi30YAML {
			doc = downgraded(doc)
		}
		if form == openapi31YAML || form == openapi30YAML {
			w.Header().Set("Content-Type", "application/vnd.oai.openapi+yaml")
			_, _ = w.Write(appendYAML(nil, doc, 0)) // an error means that the client is gone
			return nil
		}
		text, err := json.Marshal(doc)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/vnd.oai.openapi+json")
		_, _ = w.Write(text)
		return nil
	}
}

// downgraded converts a document from OpenAPI 3.1 to 3.0.
func downgraded(doc map[string]any) map[string]any {
	down := lower(doc).(map[string]any)
	down["openapi"] = "3.0.3"
	return down
}

// lower converts the parts of schemas in which OpenAPI 3.1 differs from 3.0.
func lower(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = lower(v[i])
		}
		return list
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			out[name] = lower(value)
		}
		if examples, ok := out["examples"].([]any); ok && len(examples) > 0 {
			delete(out, "examples")
			out["example"] = examples[0]
		}
		if constant, ok := out["const"]; ok {
			delete(out, "const")
			out["enum"] = []any{constant}
		}
		if types, ok := out["type"].([]any); ok {
			out["type"], out["nullable"] = types[0], true
		}
		if ref, ok := out["$ref"]; ok && len(out) > 1 { // in 3.0, a $ref must be alone
			delete(out, "$ref")
			out["allOf"] = []any{map[string]any{"$ref": ref}}
		}
		return out
	}
	return v
}

// schema returns a handler that responds with a schema of the API.
func (a *API) schema(file string) handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		name, ok := strings.CutSuffix(file, ".json")
		schemas := parsed()["components"].(map[string]any)["schemas"].(map[string]any)
		found := schemas[name]
		if !ok || found == nil {
			return failed(http.StatusNotFound, "no such schema")
		}
		text, err := json.Marshal(found)
		if err != nil {
			return err
		}
		text = []byte(schemaRef.Replace(strings.ReplaceAll(string(text), `"#/components/schemas/`, `"`+a.Prefix+`/schemas/`)))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
		return nil
	}
}

// schemaRef adds the extension of the schemas' files.
var schemaRef = strings.NewReplacer(
	`/schemas/AgentStatus"`, `/schemas/AgentStatus.json"`, `/schemas/ConversationRole"`, `/schemas/ConversationRole.json"`,
	`/schemas/MessageType"`, `/schemas/MessageType.json"`, `/schemas/ErrorLevel"`, `/schemas/ErrorLevel.json"`,
	`/schemas/Message"`, `/schemas/Message.json"`, `/schemas/ErrorDetail"`, `/schemas/ErrorDetail.json"`,
)

// appendYAML appends a JSON value as a YAML block.
func appendYAML(b []byte, v any, indent int) []byte {
	pad := strings.Repeat("  ", indent)
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			b = append(append(append(b, pad...), strconv.Quote(name)...), ':')
			b = appendYAMLValue(b, v[name], indent)
		}
	case []any:
		for _, item := range v {
			b = append(append(b, pad...), '-')
			b = appendYAMLValue(b, item, indent)
		}
	}
	return b
}

// appendYAMLValue appends what follows a name or a dash.
func appendYAMLValue(b []byte, v any, indent int) []byte {
	switch of := v.(type) {
	case map[string]any:
		if len(of) > 0 {
			return appendYAML(append(b, '\n'), v, indent+1)
		}
	case []any:
		if len(of) > 0 {
			return appendYAML(append(b, '\n'), v, indent+1)
		}
	}
	text, _ := json.Marshal(v) // JSON is YAML
	return append(append(append(b, ' '), text...), '\n')
}
