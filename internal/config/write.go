package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/printable"
	"github.com/ptyrec/ptyrec/internal/sys"
)

// Write writes the configuration in the format of the file, without control characters. A comment
// names the file at path, and says if it does not exist.
func (c *Config) Write(w io.Writer, path string) error {
	var b bytes.Buffer
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(&b, "# %s does not exist; these are the defaults\n", path)
	} else {
		fmt.Fprintf(&b, "# %s\n", path)
	}
	e := toml.NewEncoder(&b)
	e.Indent = ""
	shown := *c
	shown.Notify = c.Notify.masked()
	if err := e.Encode(shown); err != nil {
		return err
	}
	_, err := io.WriteString(w, printable.Text(b.String()))
	return err
}

// Create writes a new file with a comment for each setting, and creates its folder if needed.
func Create(path string) error {
	if err := sys.PrivateFolder(filepath.Dir(path)); err != nil {
		return err
	}
	var temps cli.Temporaries
	return temps.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, template)
		return err
	})
}
