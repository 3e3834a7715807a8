package process

import (
	"context"
	"sync"
	"time"

	"github.com/ptyrec/ptyrec/internal/sys/nice"
	"github.com/ptyrec/ptyrec/store/sqlite"
)

// Journals go into the database when nothing has ended for tidyQuiet, but not later than tidyLate.
const (
	tidyQuiet = 2 * time.Second
	tidyLate  = 30 * time.Second
)

// tidy takes the journals of commands into the database: their hosts, which have to be small, leave
// that to others.
type tidy struct {
	ended chan struct{} // gets a value when a command has ended
	stop  context.CancelFunc
	ctx   context.Context
	work  sync.WaitGroup
}

func (t *tidy) init() {
	t.ended = make(chan struct{}, 1)
	t.ctx, t.stop = context.WithCancel(context.Background())
}

// wake says that a command has ended.
func (t *tidy) wake() {
	select {
	case t.ended <- struct{}{}:
	default:
	}
}

func (t *tidy) start(s *sqlite.Store) {
	t.work.Go(func() {
		nice.Lock()
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
			case <-tick.C: // long commands close files of their journals
			case <-quiet:
			}
			quiet = nil
			_ = s.ImportJournals(t.ctx, nil) // what is not taken can be read where it is
		}
	})
}

// close stops, and waits for what is under way.
func (t *tidy) close() {
	t.stop()
	t.work.Wait()
}
