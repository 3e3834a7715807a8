// Package archive reads a recorded session as its user asks for it: whole, or an excerpt.
package archive
