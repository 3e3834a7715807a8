package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Manual writes manual pages (section 1) of commands.
type Manual struct {
	Source string    // the program and its version
	Date   time.Time // of the pages
}

// Write writes the page of a command. That of the root has the help topics about sessions and exit
// statuses, too.
func (m Manual) Write(w io.Writer, cmd *cobra.Command) error {
	cmd.Root().DisableAutoGenTag = true
	if !cmd.HasParent() {
		cmd.Long = cmd.Short + ".\n\n" + strings.TrimSpace(sessionNames) + "\n\n" + strings.TrimSpace(exitStatuses)
	}
	return doc.GenMan(cmd, &doc.GenManHeader{Title: "PTYREC", Section: "1", Source: m.Source, Manual: "ptyrec", Date: &m.Date}, w)
}

// WriteAll writes the pages of a command and of all below it into a folder, which is created if it
// does not exist.
func (m Manual) WriteAll(t *Temporaries, dir string, cmd *cobra.Command) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if !cmd.IsAvailableCommand() && cmd.HasParent() || cmd.IsAdditionalHelpTopicCommand() {
		return nil
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	path := filepath.Join(dir, name)
	err := t.WriteFile(path, func(w io.Writer) error { return m.Write(w, cmd) })
	if err == nil {
		err = os.Chmod(path, 0o644) // nothing in it is private
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, c := range cmd.Commands() {
		if err := m.WriteAll(t, dir, c); err != nil {
			return err
		}
	}
	return nil
}
