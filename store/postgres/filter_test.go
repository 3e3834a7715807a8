package postgres

import (
	"testing"

	"github.com/ptyrec/ptyrec/store"
)

// Each field of a filter has a condition, and each condition a field.
func TestConditionsAreOfFields(t *testing.T) {
	names := map[string]bool{}
	for _, d := range store.Fields() {
		names[d.Name] = true
		if fieldConditions[d.Name] == "" {
			t.Errorf("%s has no condition", d.Name)
		}
	}
	for name := range fieldConditions {
		if !names[name] {
			t.Errorf("%s is not a field", name)
		}
	}
}
