package main

import "github.com/spf13/cobra"

// dailyCommands are the commands for finding and keeping what was recorded, and for making the program at home.
func dailyCommands(a *app) []*cobra.Command {
	return []*cobra.Command{
		newShowCmd(a),
		newSearchCmd(a),
		newTailCmd(a),
		newPlayCmd(a),
		newStatsCmd(a),
		newRenameCmd(a),
		newTagCmd(a),
		newNoteCmd(a),
		newRmCmd(a),
		newPruneCmd(a),
		newInitCmd(a),
		newVerifyCmd(a),
		newManCmd(a),
		newExitStatusTopic(),
	}
}
