package team_test

import (
	"maps"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/ptyrec/ptyrec/server/team"
)

// openapi.yaml has exactly the calls that there are.
func TestOpenAPI(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	push := team.NewPush(nil, nil)
	routes := push.Routes()
	maps.Copy(routes, team.NewLinks(push, true).Routes())
	maps.Copy(routes, team.NewPull(push).Routes())
	maps.Copy(routes, team.NewAdmin(push).Routes())
	maps.Copy(routes, team.NewLogins(push).Routes())
	n := 0
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			n++
			if routes[method+" "+path] == nil {
				t.Errorf("%s %s is not served", method, path)
			}
		}
	}
	if n != len(routes) {
		t.Errorf("%d calls are described, %d served", n, len(routes))
	}
}
