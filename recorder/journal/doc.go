// Package journal keeps the raw events of a session in plain, append-only files while the session
// is recorded.
//
// A [Writer] appends to the newest file of a session and holds a lock on it. Earlier files are
// closed and never change; a program that has stored the events of a closed file may delete it.
// Each event is numbered within the session, and each frame has a checksum. A [Reader] therefore
// finds what is intact in a damaged file, and a program notices if it stores a file twice.
// docs/format.md describes the files.
package journal
