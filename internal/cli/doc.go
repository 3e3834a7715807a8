// Package cli is what all commands of a command line share: errors and hints, help and manual
// pages, tables, the pager, progress, and files that appear whole.
package cli
