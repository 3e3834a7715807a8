package chat

import (
	"regexp"
)

// Resumption says how an agent is started again on a conversation that it had before.
type Resumption struct {
	Program string         // the name of the agent's program
	Args    []string       // its arguments; ResumeID is in place of the conversation's id
	ID      *regexp.Regexp // matches an id, as a whole
	Printed *regexp.Regexp // matches a row that the agent prints when it ends; the first group is the id
	Given   []string       // the words of a command line that have an id behind them, after a blank or an equals sign
}

// ResumeID is where the id goes in Resumption.Args.
const ResumeID = "{id}"

// UUID is the pattern of most ids.
const UUID = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// ResumedBy returns a Resumption whose agent prints a command at its end: with what is before the
// id, a pattern.
func ResumedBy(program string, args []string, id, printed string, given ...string) *Resumption {
	return &Resumption{
		Program: program, Args: args, ID: regexp.MustCompile(`^` + id + `$`),
		Printed: regexp.MustCompile(`(?:^|[\s│])` + printed + `(` + id + `)[\s│]*$`), Given: given,
	}
}
