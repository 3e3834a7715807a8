package sys_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ptyrec/ptyrec/internal/sys"
)

func TestEach(t *testing.T) {
	done := make([]atomic.Int32, 100)
	err := sys.OnAllCores(len(done), func(i int) error {
		done[i].Add(1)
		if i%40 == 0 {
			return fmt.Errorf("error %d", i)
		}
		return nil
	})
	if want := "error 0\nerror 40\nerror 80"; err == nil || err.Error() != want {
		t.Errorf("Each() = %v, want %q", err, want)
	}
	for i := range done {
		if n := done[i].Load(); n != 1 {
			t.Errorf("%d was done %d times", i, n)
		}
	}
	if err := sys.OnAllCores(0, nil); err != nil {
		t.Errorf("Each(0) = %v", err)
	}
}
