package cli

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Temporaries are the incomplete files and temporary folders of a command. They are removed if a
// signal ends the program. The zero value is empty.
type Temporaries struct {
	mu    sync.Mutex // guards the fields below
	names map[string]bool
	stop  func() // stops watching; nil while there are no files
}

// Add registers a file to remove when the program is interrupted, until done is called.
func (t *Temporaries) Add(name string) (done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.names == nil {
		t.names = map[string]bool{}
	}
	t.names[name] = true
	if t.stop == nil {
		t.stop = t.watch()
	}
	return func() { t.remove(name) }
}

func (t *Temporaries) remove(name string) {
	t.mu.Lock()
	delete(t.names, name)
	stop := t.stop
	if len(t.names) > 0 {
		stop = nil
	} else {
		t.stop = nil
	}
	t.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// watch waits for a signal, removes the files, and ends the process by the signal.
func (t *Temporaries) watch() (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	quit := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case s := <-signals:
			t.mu.Lock()
			for name := range t.names {
				_ = os.RemoveAll(name) // it may already have been renamed
			}
			t.mu.Unlock()
			signal.Reset()
			if number, ok := s.(syscall.Signal); ok {
				_ = syscall.Kill(os.Getpid(), number)
			}
		case <-quit:
		}
	})
	return func() {
		signal.Stop(signals)
		close(quit)
		watcher.Wait()
	}
}
