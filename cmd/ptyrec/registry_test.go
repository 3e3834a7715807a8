package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ptyrec/ptyrec/extractor"
	"github.com/ptyrec/ptyrec/internal/agentlog"
)

// TestAgentsAreNamedOnce: whatever names the agents names those that the extractor knows, and no
// other.
func TestAgentsAreNamedOnce(t *testing.T) {
	want := slices.Sorted(slices.Values(extractor.Agents()))
	if got := slices.Sorted(slices.Values(agentlog.Agents())); !slices.Equal(got, want) {
		t.Errorf("logs of %q are read, agents are %q", got, want)
	}
	for _, path := range []string{"../../docs/architecture.md", "../../docs/import.md", "../../README.md",
		"../../internal/server/mcp/tools.go"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range want {
			if !strings.Contains(strings.ToLower(string(text)), name) {
				t.Errorf("%s does not name %s", path, name)
			}
		}
	}
	for _, name := range want {
		if extractor.AgentOf(name).Title == "" || extractor.AgentOf(name).Resume == nil {
			t.Errorf("%s has no title, or nobody knows how it is resumed", name)
		}
	}
}
