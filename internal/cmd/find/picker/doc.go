// Package picker lets a user choose a session from a list on the terminal, by a fuzzy filter and a
// preview of the conversation.
package picker
