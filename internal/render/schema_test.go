package render_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ptyrec/ptyrec/session"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	path, err := filepath.Abs("../../docs/transcript.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What is written is what docs/transcript.schema.json promises, and the schema refuses what is not.
func TestSchema(t *testing.T) {
	s := schema(t)
	validate := func(tr *session.Transcript) error {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(write(t, "json", tr)))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(doc)
	}
	for name, tr := range map[string]*session.Transcript{"example": example(), "empty": {}} {
		if err := validate(tr); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, spoil := range map[string]func(*session.Entry){
		"no id":         func(e *session.Entry) { e.ID = "" },
		"unknown role":  func(e *session.Entry) { e.Role = "narrator" },
		"no status":     func(e *session.Entry) { e.Status = "" },
		"event as well": func(e *session.Entry) { e.Event = session.EventClear },
		"event only":    func(e *session.Entry) { e.Type = session.TypeEvent },
		"tool of shell": func(e *session.Entry) { e.Tool = &session.Tool{Status: session.ToolOK} },
	} {
		tr := example()
		spoil(tr.Entries[0])
		if err := validate(tr); err == nil {
			t.Errorf("%s: the schema lets it pass", name)
		}
	}
}
