package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The rules that ptyrec has are those of the two files.
func TestGenerated(t *testing.T) {
	want, err := generate("..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../rules_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("rules_gen.go is not of the two files, go generate ./redact makes it (-want +got):\n%s", diff)
	}
}
