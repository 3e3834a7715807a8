package sys

import (
	"errors"
	"runtime"
	"sync"
)

// OnAllCores calls do for 0 to n-1, on as many cores as there are, and returns when all calls have
// returned. It joins their errors in the order of the numbers.
func OnAllCores(n int, do func(i int) error) error {
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}
