// Package store has the words for stored sessions: what is known of one (Info), which ones are
// wanted (Filter, Query, Span), what is found (Hit, Page), and the pieces of a raw log (Segment).
// The packages below it keep sessions: sqlite those of a machine, postgres those of a team.
package store
