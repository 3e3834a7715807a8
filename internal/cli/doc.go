// Package cli provides what all commands of a command line share: errors and hints, help and manual
// pages, tables, the pager, progress, and atomic file writes.
package cli
