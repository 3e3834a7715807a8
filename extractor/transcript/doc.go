// Package transcript converts the raw events of a recording to a terminal log.
//
// A Processor feeds the output to a virtual screen, takes frames of it when it is complete, passes
// them to the extractor, and merges its views of the conversation into a Log, anchored at entries
// that both contain. The result depends only on the events, not on when they arrive or how the
// bytes are split.
package transcript
