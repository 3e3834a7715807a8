package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kinds of parameters: the types of JSON Schema, and texts for an array of strings.
const (
	kindText    = "string"
	kindTexts   = "array"
	kindWhole   = "integer"
	kindNumber  = "number"
	kindBoolean = "boolean"
)

// param is a parameter of a tool.
type param struct {
	name, kind, about string
	required          bool
	oneOf             []string // allowed values of a text, or of each of the texts
	// Of a number; not checked if both are 0. most is also the maximum length of a text, in
	// characters.
	least, most float64
	standard    any // value of a missing parameter
}

// maxText is the default maximum length of a text, in characters.
const maxText = 1000

// inputSchema returns the JSON Schema of a tool's arguments.
func inputSchema(params []param) json.RawMessage {
	properties, required := map[string]any{}, []string{}
	for _, p := range params {
		s := map[string]any{"type": p.kind}
		if p.about != "" {
			s["description"] = p.about
		}
		if p.standard != nil {
			s["default"] = p.standard
		}
		of := s
		if p.kind == kindTexts {
			of = map[string]any{"type": "string"}
			s["items"] = of
		}
		if p.oneOf != nil {
			of["enum"] = p.oneOf
		}
		switch numeric := p.kind == kindWhole || p.kind == kindNumber; {
		case numeric && p.least != p.most:
			s["minimum"] = p.least
			if !math.IsInf(p.most, 1) {
				s["maximum"] = p.most
			}
		case p.kind == kindText && p.most >= maxText:
			s["maxLength"] = p.most
		}
		properties[p.name] = s
		if p.required {
			required = append(required, p.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return toJSON(schema)
}

// toJSON returns v as JSON, without escaping < and >.
func toJSON(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // v consists of types that JSON can encode
	return bytes.TrimSpace(b.Bytes())
}

// arguments are the arguments of a call, validated against a tool's parameters.
type arguments map[string]any

func (a arguments) text(name string) string    { v, _ := a[name].(string); return v }
func (a arguments) texts(name string) []string { v, _ := a[name].([]string); return v }
func (a arguments) whole(name string) int {
	v, _ := a[name].(float64)
	return int(min(v, math.MaxInt32))
}
func (a arguments) number(name string) float64 { v, _ := a[name].(float64); return v }
func (a arguments) flag(name string) bool      { v, _ := a[name].(bool); return v }
func (a arguments) has(name string) bool       { _, ok := a[name]; return ok }

// readArguments validates the arguments of a call. The error is a toolError.
func readArguments(tool string, params []param, text json.RawMessage) (arguments, error) {
	var given map[string]any
	if len(text) > 0 {
		if err := json.Unmarshal(text, &given); err != nil {
			return nil, toolErrorf("The arguments of %s must be an object.", tool)
		}
	}
	names := []string{}
	out := arguments{}
	for _, p := range params {
		names = append(names, p.name)
		v, ok := given[p.name]
		if !ok || v == nil {
			if p.required {
				return nil, toolErrorf("%s needs the parameter %s.", tool, p.name)
			}
			if p.standard != nil {
				out[p.name] = p.standard
				if n, ok := p.standard.(int); ok {
					out[p.name] = float64(n)
				}
			}
			continue
		}
		v, err := p.check(v)
		if err != nil {
			return nil, err
		}
		out[p.name] = v
	}
	for name := range given {
		if !slices.Contains(names, name) {
			return nil, toolErrorf("%s has no parameter %q. It takes %s.", tool, clip(name, 40), strings.Join(names, ", "))
		}
	}
	return out, nil
}

// check validates a value and returns it in the form of arguments.
func (p param) check(v any) (any, error) {
	switch v := v.(type) {
	case string:
		if p.kind == kindText {
			return v, p.checkText(v)
		}
	case bool:
		if p.kind == kindBoolean {
			return v, nil
		}
	case float64:
		if p.kind == kindNumber || p.kind == kindWhole && v == math.Trunc(v) {
			return v, p.checkRange(v)
		}
	case []any:
		if p.kind == kindTexts {
			return p.checkTexts(v)
		}
	}
	return nil, toolErrorf("%s must be %s.", p.name, p.wanted())
}

func (p param) checkTexts(list []any) (any, error) {
	out := make([]string, len(list))
	for i, v := range list {
		text, ok := v.(string)
		if !ok {
			return nil, toolErrorf("%s must be %s.", p.name, p.wanted())
		}
		if err := p.checkText(text); err != nil {
			return nil, err
		}
		out[i] = text
	}
	return out, nil
}

func (p param) checkText(text string) error {
	most := maxText
	if p.most > 0 {
		most = int(p.most)
	}
	switch n := utf8.RuneCountInString(text); {
	case n > most:
		return toolErrorf("%s may have at most %d characters; it has %d.", p.name, most, n)
	case p.required && p.kind == kindText && strings.TrimSpace(text) == "":
		return toolErrorf("%s must not be empty.", p.name)
	case p.oneOf != nil && !slices.Contains(p.oneOf, text):
		return toolErrorf("%s must be %s; %q is not.", p.name, p.wanted(), clip(text, 40))
	}
	return nil
}

func (p param) checkRange(n float64) error {
	if p.least != p.most && (n < p.least || n > p.most) {
		return toolErrorf("%s must be %s; it is %v.", p.name, p.wanted(), n)
	}
	return nil
}

// wanted describes the valid values of a parameter.
func (p param) wanted() string {
	switch {
	case p.oneOf != nil && p.kind == kindTexts:
		return "an array of " + strings.Join(p.oneOf, ", ")
	case p.oneOf != nil:
		return "one of " + strings.Join(p.oneOf, ", ")
	case p.kind == kindTexts:
		return "an array of strings"
	case p.kind == kindText:
		return "a string"
	case p.kind == kindBoolean:
		return "true or false"
	}
	kind := "a number"
	if p.kind == kindWhole {
		kind = "a whole number"
	}
	switch {
	case p.least == p.most:
		return kind
	case math.IsInf(p.most, 1):
		return fmt.Sprintf("%s from %v", kind, p.least)
	}
	return fmt.Sprintf("%s from %v to %v", kind, p.least, p.most)
}

// field is a field of a tool's result: NAME, or NAME? if it is optional; with :i for an integer, :b
// for a boolean, :a for an array of strings, otherwise a string. An array of objects is
// NAME[FIELDS].
type field = string

// outputSchema returns the JSON Schema of a tool's result. fields are separated by blanks.
func outputSchema(fields field) json.RawMessage {
	schema, _ := objectSchema(fields)
	return toJSON(schema)
}

// objectSchema parses fields up to a "]". rest is what follows it.
func objectSchema(fields string) (schema map[string]any, rest string) {
	properties, required := map[string]any{}, []string{}
	for {
		fields = strings.TrimLeft(fields, " ")
		if fields == "" || fields[0] == ']' {
			break
		}
		end := strings.IndexAny(fields, " []")
		if end < 0 {
			end = len(fields)
		}
		name := fields[:end]
		fields = fields[end:]
		name, kind, _ := strings.Cut(name, ":")
		plain := strings.TrimSuffix(name, "?")
		if plain == name {
			required = append(required, name)
		}
		of := map[string]any{"type": map[string]string{"": "string", "i": "integer", "b": "boolean", "a": "array",
			"o": "object"}[kind]}
		switch {
		case strings.HasPrefix(fields, "["):
			of, fields = objectSchema(fields[1:])
			fields = strings.TrimPrefix(fields, "]")
			if kind != "o" {
				of = map[string]any{"type": "array", "items": of}
			}
		case kind == "a":
			of["items"] = map[string]any{"type": "string"}
		}
		properties[plain] = of
	}
	schema = map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema, fields
}
