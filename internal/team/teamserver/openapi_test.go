package teamserver_test

import (
	"maps"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/ptyrec/ptyrec/internal/team/teamserver"
)

// openapi.yaml has exactly the calls that there are.
func TestOpenAPI(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	push := teamserver.NewPush(nil, nil)
	routes := push.Routes()
	maps.Copy(routes, teamserver.NewLinks(push, true).Routes())
	maps.Copy(routes, teamserver.NewPull(push).Routes())
	maps.Copy(routes, teamserver.NewAdmin(push).Routes())
	maps.Copy(routes, teamserver.NewLogins(push).Routes())
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
