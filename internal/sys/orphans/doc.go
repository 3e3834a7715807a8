// Package orphans finds and ends what a process has started, however far away that has gone.
//
// It imports only small packages of the standard library, because recorder/leader does.
package orphans
