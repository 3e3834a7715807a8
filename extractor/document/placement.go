package document

// Placement names the rule that found a frame's place on a document.
type Placement string

// The rules of the main screen, then those of the alternate screen.
const (
	PlacedScrolled Placement = "as the terminal scrolled"
	PlacedRedrawn  Placement = "redrawn from the top"        // the first rows had scrolled out before
	PlacedWrapped  Placement = "same letters, another width" // after a resize
	PlacedFirst    Placement = "first frame"                 // of the document
	PlacedOverlap  Placement = "rows in common"              // with what the document has
	PlacedHead     Placement = "same first rows"             // all below was redrawn
	PlacedTable    Placement = "same table cells"            // in columns of another width
	PlacedBelow    Placement = "nothing in common"           // below everything; rows may be missing above
	PlacedLookBack Placement = "the user has scrolled back"  // the document can only grow
)
