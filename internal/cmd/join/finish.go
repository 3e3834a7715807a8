package join

import "github.com/ptyrec/ptyrec/internal/cli/listing"

// Finish closes the recorder for a command, and tells the user what is missing and where the
// recording is.
func (r *Recorder) Finish(notice func(format string, args ...any)) {
	id, lost, err := r.Close()
	if err != nil {
		notice("warning: %d bytes of this session were not recorded: %v", lost, err)
	}
	if id != "" {
		notice("recorded as %s; `ptyrec show %[1]s` shows it", listing.ShortID(id))
	}
}
