// Package human reads and writes what people type and read: sizes, dates and ages, and how much of
// a task is done.
package human
