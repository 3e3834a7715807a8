// Package journal keeps the raw events of a session in plain, append-only files while it is recorded.
//
// A [Writer] appends to the session's newest file, and holds a lock on it; files before it are closed
// and never change. Whoever has stored a closed file's events elsewhere may delete it. Each event has
// its number in the session, and each frame a checksum, so a [Reader] finds what is whole in a damaged
// file, and storing the same file twice can be noticed. docs/format.md describes the files.
package journal
