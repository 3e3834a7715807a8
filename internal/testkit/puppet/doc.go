// Package puppet is a program in a terminal that a test controls. The program is the test binary
// itself.
package puppet
