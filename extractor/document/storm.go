package document

import (
	"slices"

	"github.com/ptyrec/ptyrec/extractor/row"
)

// stormFrames is after how many frames an agent has surely drawn its window for the last of several
// sizes.
const stormFrames = 40

// Storm follows an agent on the alternate screen through several resizes, one shortly after the
// other. What the agent draws meanwhile may be torn: laid out for one width, and cut for another.
type Storm struct {
	calm   Document // as it was before the first of them
	count  int      // resizes; 0: the last was long ago
	frames int      // since the last of them
}

// Begin notes a resize. d is the document of the agent that draws on the alternate screen.
func (z *Storm) Begin(d *Document) {
	if z.count == 0 {
		z.calm = Document{Lines: slices.Clone(d.Lines), Base: d.Base}
	}
	z.count, z.frames = z.count+1, 0
}

// Align puts body, the window, where it belongs on d as it was before the storm, and drops what was
// torn since. If it has no place there, it is put where it belongs on d.
func (z *Storm) Align(d *Document, body []row.Line) {
	if z.frames++; z.frames > stormFrames {
		*z = Storm{}
	}
	if z.count < 2 || !z.restore(d, body) {
		d.resized = z.count > 0
		d.Align(body)
	}
}

// restore finds the place of body on the document as it was before the storm.
func (z *Storm) restore(d *Document, body []row.Line) bool {
	at, window, ok := d.restore(z.calm, 0, body)
	if !ok {
		return false
	}
	d.Placed = PlacedWrapped
	d.replace(0, z.calm.Lines[:at], window)
	return true
}
