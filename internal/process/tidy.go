package process

import (
	"context"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Journals are moved into the database when no command has ended for tidyQuiet, but at the latest
// after tidyLate.
const (
	tidyQuiet = 2 * time.Second
	tidyLate  = 30 * time.Second
)

// tidy moves the journals of commands into the database. Their hosts do not, to stay small.
type tidy struct {
	ended chan struct{} // receives a value when a command has ended
	stop  context.CancelFunc
	ctx   context.Context
	work  sync.WaitGroup
}

func (t *tidy) init() {
	t.ended = make(chan struct{}, 1)
	t.ctx, t.stop = context.WithCancel(context.Background())
}

// wake reports that a command has ended.
func (t *tidy) wake() {
	select {
	case t.ended <- struct{}{}:
	default:
	}
}

func (t *tidy) start(s *sqlite.Store) {
	t.work.Go(func() {
		sys.LowestPriority()
		tick := time.NewTicker(tidyLate)
		defer tick.Stop()
		var quiet <-chan time.Time
		for {
			select {
			case <-t.ctx.Done():
				return
			case <-t.ended:
				quiet = time.After(tidyQuiet)
				continue
			case <-tick.C: // a long command closes files of its journal while it runs
			case <-quiet:
			}
			quiet = nil
			_ = s.ImportJournals(t.ctx, nil) // what is not imported can be read where it is
		}
	})
}

// close stops it, and waits for an import in progress.
func (t *tidy) close() {
	t.stop()
	t.work.Wait()
}
