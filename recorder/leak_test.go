package recorder_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/ptyrec/ptyrec/recorder"
)

func TestMain(m *testing.M) {
	if os.Args[0] == recorder.LeaderName {
		os.Exit(recorder.Lead())
	}
	goleak.VerifyTestMain(m)
}
