// Package archive selects the part of a recorded session that a user asks for: all of it, or an
// excerpt.
package archive
