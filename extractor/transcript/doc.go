// Package transcript turns the raw events of a recording into a terminal log.
//
// A Processor feeds the output to a virtual screen, takes frames of it when it is complete, has the
// extractor read them, and merges the views of the conversation into a Log: anchored at the entries
// that a view and the log share. The result depends on the events alone, not on when they come and
// not on how the bytes are cut.
package transcript
