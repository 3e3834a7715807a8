package agentapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/ptyrec/ptyrec/internal/server/agentapi"
	"github.com/ptyrec/ptyrec/session"
)

// TestHandlersAnswerAsDocumented: the documents are what their versions say, and what the handlers
// answer is what the documents say.
func TestHandlersAnswerAsDocumented(t *testing.T) {
	s := newSite(t, agentapi.Access{}, nil)
	s.start()
	s.say(session.RoleUser, "hello")
	s.say(session.RoleAssistant, "hi")
	resp, text := s.do("GET", "/openapi-3.0.json", "")
	if got := resp.Header.Get("Content-Type"); got != "application/vnd.oai.openapi+json" {
		t.Errorf("Content-Type: %s", got)
	}
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil || doc.OpenAPI != "3.0.3" {
		t.Errorf("%s: %v", doc.OpenAPI, err)
	}
	_, text = s.do("GET", "/openapi.json", "")
	var whole map[string]any
	if err := json.Unmarshal([]byte(text), &whole); err != nil || whole["openapi"] != "3.1.0" {
		t.Fatalf("%v %v", whole["openapi"], err)
	}
	_, text = s.do("GET", "/openapi.yaml", "")
	var fromYAML map[string]any
	if err := yaml.Unmarshal([]byte(text), &fromYAML); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(fromYAML)
	var same map[string]any
	_ = json.Unmarshal(again, &same)
	if diff := cmp.Diff(whole, same); diff != "" {
		t.Errorf("openapi.yaml (-json +yaml):\n%s", diff)
	}
	schemas := jsonschema.NewCompiler()
	if err := schemas.AddResource("https://doc/openapi.json", any(whole)); err != nil {
		t.Fatal(err)
	}
	for path, item := range whole["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			s.agrees(schemas, strings.ToUpper(method), path)
		}
	}
	if resp, body := s.do("GET", "/schemas/Nope.json", ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("%s %s", resp.Status, body)
	}
	for name := range whole["components"].(map[string]any)["schemas"].(map[string]any) {
		if resp, body := s.do("GET", "/schemas/"+name+".json", ""); resp.StatusCode != http.StatusOK ||
			strings.Contains(body, "#/components") || !json.Valid([]byte(body)) {
			t.Errorf("%s: %s %s", name, resp.Status, body)
		}
	}
}

// agrees checks that a path answers, and answers as its schema says; another method is refused.
func (s *site) agrees(schemas *jsonschema.Compiler, method, path string) {
	s.t.Helper()
	other := map[string]string{"GET": "POST", "POST": "GET"}[method]
	if resp, _ := s.do(other, path, ""); resp.StatusCode != http.StatusMethodNotAllowed ||
		resp.Header.Get("Allow") != method {
		s.t.Errorf("%s %s: %s", other, path, resp.Status)
	}
	body, name, code := "", map[string]string{"/status": "StatusResponseBody", "/messages": "MessagesResponseBody",
		"/message": "MessageResponseBody"}[path], http.StatusOK
	switch path {
	case "/events":
		return // see TestLongEventsAreCut
	case "/message":
		body = `{"type":"raw","content":"x"}`
	case "/upload":
		name, code = "ErrorModel", http.StatusUnprocessableEntity
	}
	resp, text := s.do(method, path, body)
	if resp.StatusCode != code {
		s.t.Errorf("%s: %s", path, resp.Status)
	}
	schema, err := schemas.Compile("https://doc/openapi.json#/components/schemas/" + name)
	if err != nil {
		s.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		s.t.Errorf("%s: %v\n%s", path, err, text)
	}
}
