package shell_test

import (
	"flag"
	"log"
	"os"
	"testing"
)

// TestMain draws the properties' inputs from a fixed seed, so that a change fails or passes for
// what it does. The long tests draw others each time, as -rapid.seed does.
func TestMain(m *testing.M) {
	flag.Parse()
	f := flag.Lookup("rapid.seed")
	if os.Getenv("PTYREC_LONG_TESTS") == "" && f.Value.String() == f.DefValue {
		if err := f.Value.Set("1"); err != nil {
			log.Fatal(err)
		}
	}
	os.Exit(m.Run())
}
