// Package puppet is a program in a terminal whose strings a test pulls: the test binary itself.
package puppet
