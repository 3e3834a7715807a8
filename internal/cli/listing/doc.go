// Package listing formats lists of sessions and of search results, for people and for programs.
package listing
