package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/ptyrec/ptyrec/redact"
)

// config is what the configuration file can say (docs/config.md). Flags go over the environment,
// and that over the file.
type config struct {
	Database string       `toml:"database"`
	Run      runConfig    `toml:"run"`
	Attach   attachConfig `toml:"attach"`
	Redact   redactConfig `toml:"redact"`
}

type runConfig struct {
	Input  bool   `toml:"input"`
	Notice string `toml:"notice"`
}

// The values of run.notice: when run says that it recorded.
const (
	noticeFirst  = "first" // the first noticeTimes times
	noticeAlways = "always"
	noticeNever  = "never"
)

const noticeTimes = 3

type attachConfig struct {
	DetachKey string `toml:"detach_key"`
}

type redactConfig struct {
	Enabled  bool             `toml:"enabled"`
	Known    bool             `toml:"known"`
	Patterns []redact.Pattern `toml:"patterns"`
}

func defaultConfig() config {
	return config{Run: runConfig{Notice: noticeFirst}, Attach: attachConfig{DetachKey: "ctrl+]"}, Redact: redactConfig{Enabled: true, Known: true}}
}

// homeFolder is the user's, an absolute path.
func homeFolder() (string, error) {
	home := os.Getenv("HOME")
	if !filepath.IsAbs(home) {
		return "", errors.New("$HOME is not set to an absolute path")
	}
	return home, nil
}

// configPath returns the path of the configuration file: $XDG_CONFIG_HOME/ptyrec/config.toml.
func configPath() (string, error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the base directory specification: relative paths must be ignored
		home, err := homeFolder()
		if err != nil {
			return "", fail(err, "set HOME or XDG_CONFIG_HOME")
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "ptyrec", "config.toml"), nil
}

// loadConfig returns the configuration: the environment, over the file if it exists, over the
// defaults. The first call reads it, further calls return the same.
func (a *app) loadConfig() (*config, error) {
	a.configMu.Lock()
	defer a.configMu.Unlock()
	if a.config != nil {
		return a.config, nil
	}
	c := defaultConfig()
	if path, err := configPath(); err == nil { // else there is no configuration
		if err := readConfig(path, &c); err != nil {
			return nil, err
		}
	}
	if err := c.environment(os.Getenv); err != nil {
		return nil, err
	}
	a.config = &c
	return a.config, nil
}

// readConfig reads the file at path into c. It is no error if the file does not exist.
func readConfig(path string, c *config) error {
	meta, err := toml.DecodeFile(path, c)
	var syntax toml.ParseError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &syntax):
		return configError(path, fmt.Errorf("line %d: %s", syntax.Position.Line, syntax.Message), "see docs/config.md")
	case err != nil:
		return configError(path, err, "see docs/config.md")
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		key := unknown[0].String()
		return configError(path, fmt.Errorf("unknown key %q", key), "did you mean "+nearest(key, configKeys())+"?")
	}
	if c.Database != "" && !filepath.IsAbs(c.Database) {
		return configError(path, fmt.Errorf("database %q is no absolute path", c.Database), "write it from the root on")
	}
	if err := checkNotice(c.Run.Notice); err != nil {
		return configError(path, fmt.Errorf("run.notice: %w", err), noticeHint)
	}
	if _, err := parseKey(c.Attach.DetachKey); err != nil {
		return configError(path, fmt.Errorf("attach.detach_key: %w", err), keyHint)
	}
	if _, err := c.Redact.redactor(); err != nil {
		return configError(path, err, "patterns are RE2: https://github.com/google/re2/wiki/Syntax")
	}
	return nil
}

const noticeHint = "write first, always or never"

func checkNotice(text string) error {
	if !slices.Contains([]string{noticeFirst, noticeAlways, noticeNever}, text) {
		return fmt.Errorf("unknown value %q", text)
	}
	return nil
}

func configError(path string, err error, hint string) error {
	return fail(fmt.Errorf("%s: %w", path, err), hint)
}

// environment overrides c with what the environment sets. dbPath reads $PTYREC_DB.
func (c *config) environment(get func(string) string) error {
	for name, to := range map[string]*bool{"PTYREC_INPUT": &c.Run.Input, "PTYREC_REDACT": &c.Redact.Enabled} {
		text := get(name)
		if text == "" {
			continue
		}
		on, err := strconv.ParseBool(text)
		if err != nil {
			return fail(fmt.Errorf("$%s is %q", name, text), "write true or false")
		}
		*to = on
	}
	if text := get("PTYREC_NOTICE"); text != "" {
		if err := checkNotice(text); err != nil {
			return fail(fmt.Errorf("$PTYREC_NOTICE: %w", err), noticeHint)
		}
		c.Run.Notice = text
	}
	return nil
}

// redactor returns the Redactor, or nil if redaction is off.
func (c *redactConfig) redactor() (*redact.Redactor, error) {
	r, err := redact.New(redact.Options{Patterns: c.Patterns, Unknown: !c.Known})
	if !c.Enabled {
		r = nil
	}
	return r, err
}

// configKeys are all keys that config knows.
func configKeys() []string {
	return []string{"database", "run", "run.input", "run.notice", "attach", "attach.detach_key", "redact", "redact.enabled", "redact.known", "redact.patterns", "redact.patterns.name", "redact.patterns.regexp"}
}

// nearest returns the name that takes the fewest changes to become key.
func nearest(key string, names []string) string {
	best, least := "", len(key)+len(names)
	for _, name := range names {
		if d := distance(strings.ToLower(key), name); best == "" || d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is Levenshtein's, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
