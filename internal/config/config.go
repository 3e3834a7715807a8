// Package config reads the configuration: a TOML file, overridden by environment variables
// (docs/config.md).
package config

import (
	_ "embed" // template
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/ptyrec/ptyrec/internal/cli"
	"github.com/ptyrec/ptyrec/internal/human/failure"
	"github.com/ptyrec/ptyrec/internal/library"
	"github.com/ptyrec/ptyrec/internal/redact"
	"github.com/ptyrec/ptyrec/internal/sys"
	"github.com/ptyrec/ptyrec/internal/team"
)

// template is a configuration file without any setting, with a comment for each key.
//
//go:embed config.toml
var template string

// Config is the configuration. Flags override the environment, which overrides the file.
type Config struct {
	Database  string    `toml:"database"`
	Run       Run       `toml:"run"`
	Retention Retention `toml:"retention"`
	Notify    Notify    `toml:"notify"`
	Stats     Stats     `toml:"stats"`
	Attach    Attach    `toml:"attach"`
	Redact    Redact    `toml:"redact"`
	Team      Team      `toml:"team"`
}

// Team configures what is sent to a team's server. Its zero value sends nothing.
type Team struct {
	Server  string        `toml:"server"`
	Folders []string      `toml:"folders"`
	Agents  []string      `toml:"agents"`
	Raw     bool          `toml:"raw"`
	Live    bool          `toml:"live"`
	Space   string        `toml:"space"`
	Spaces  []team.Folder `toml:"spaces"`
}

// Rules returns the rules for the sessions to send. If everything is set and no folders are
// configured, all are sent.
func (t *Team) Rules(everything bool) (team.Rules, error) {
	r := team.Rules{Agents: t.Agents, Raw: t.Raw, Live: t.Live, Space: t.Space, All: everything && len(t.Folders) == 0}
	for _, folder := range t.Folders {
		path, err := absolute(folder)
		if err != nil {
			return r, err
		}
		r.Folders = append(r.Folders, path)
	}
	for _, f := range t.Spaces {
		path, err := absolute(f.Folder)
		if err != nil {
			return r, err
		}
		r.Spaces = append(r.Spaces, team.Folder{Folder: path, Space: f.Space})
	}
	return r, nil
}

// absolute returns the absolute path of a folder that may begin with ~.
func absolute(folder string) (string, error) {
	rest, ok := strings.CutPrefix(folder, "~")
	if ok && (rest == "" || rest[0] == '/') {
		home, err := sys.HomeFolder()
		if err != nil {
			return "", err
		}
		folder = home + rest
	}
	if !filepath.IsAbs(folder) {
		return "", fmt.Errorf("folder %q is not an absolute path", folder)
	}
	return filepath.Clean(folder), nil
}

// Run configures `ptyrec run`.
type Run struct {
	Input  bool   `toml:"input"`
	Notice string `toml:"notice"`
	// Ignore are patterns of what not to record, see ParseIgnored.
	Ignore []string `toml:"ignore"`
}

// Ignored returns the parsed patterns.
func (r *Run) Ignored() (IgnoreList, error) {
	home, _ := sys.HomeFolder() // only ~ needs one
	return ParseIgnored(r.Ignore, home)
}

// Retention configures what to delete once a day. Its zero value deletes nothing.
type Retention struct {
	OlderThan  string `toml:"older_than"`
	MaxSize    string `toml:"max_size"`
	KeepTagged bool   `toml:"keep_tagged"`
}

// Policy returns the parsed retention policy.
func (r *Retention) Policy() (library.RetentionPolicy, error) {
	return library.ParseRetention(r.OlderThan, r.MaxSize, r.KeepTagged)
}

// Stats configures `ptyrec stats`.
type Stats struct {
	Prices string `toml:"prices"` // path of a price list; empty: prices.toml next to the configuration, if it exists
}

// PricesPath returns the default path of the user's prices: $XDG_CONFIG_HOME/ptyrec/prices.toml.
func PricesPath() (string, error) {
	path, err := Path()
	return filepath.Join(filepath.Dir(path), "prices.toml"), err
}

// The values of run.notice: when run prints that it recorded.
const (
	NoticeFirst  = "first" // only the first NoticeTimes times
	NoticeAlways = "always"
	NoticeNever  = "never"
)

// NoticeTimes is how often run prints it with NoticeFirst.
const NoticeTimes = 3

// Attach configures `ptyrec attach`.
type Attach struct {
	DetachKey string `toml:"detach_key"`
}

// Redact configures redaction.
type Redact struct {
	Enabled  bool             `toml:"enabled"`
	Known    bool             `toml:"known"`
	Patterns []redact.Pattern `toml:"patterns"`
}

// Default returns the default configuration.
func Default() Config {
	return Config{Run: Run{Notice: NoticeFirst, Ignore: []string{}}, Retention: Retention{KeepTagged: true},
		Notify: defaultNotify, Attach: Attach{DetachKey: "ctrl+]"}, Redact: Redact{Enabled: true, Known: true},
		Team: Team{Folders: []string{}, Agents: []string{}, Raw: true, Spaces: []team.Folder{}}}
}

// Path returns the path of the configuration file: $XDG_CONFIG_HOME/ptyrec/config.toml.
func Path() (string, error) {
	dir, err := sys.ConfigFolder()
	if err != nil {
		return "", failure.New(err, "set HOME or XDG_CONFIG_HOME")
	}
	return filepath.Join(dir, "ptyrec", "config.toml"), nil
}

// Load returns the configuration: the environment over the file, if it exists, over the defaults.
func Load() (*Config, error) {
	c := Default()
	if path, err := Path(); err == nil { // otherwise there is no configuration file
		if err := Read(path, &c); err != nil {
			return nil, err
		}
	}
	if err := c.environment(os.Getenv); err != nil {
		return nil, err
	}
	return &c, nil
}

// Read reads the file at path into c. It is not an error if the file does not exist.
func Read(path string, c *Config) error {
	meta, err := toml.DecodeFile(path, c)
	var syntax toml.ParseError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &syntax):
		return fileError(path, fmt.Errorf("line %d: %s", syntax.Position.Line, syntax.Message), "see docs/config.md")
	case err != nil:
		return fileError(path, err, "see docs/config.md")
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		key := unknown[0].String()
		name, _ := cli.Nearest(key, keys())
		return fileError(path, fmt.Errorf("unknown key %q", key), "did you mean "+name+"?")
	}
	return c.check(path)
}

// check returns an error if the configuration in the file at path has an invalid value.
func (c *Config) check(path string) error {
	if c.Database != "" && !filepath.IsAbs(c.Database) {
		return fileError(path, fmt.Errorf("database %q is not an absolute path", c.Database), "write an absolute path")
	}
	if c.Stats.Prices != "" && !filepath.IsAbs(c.Stats.Prices) {
		return fileError(path, fmt.Errorf("stats.prices %q is not an absolute path", c.Stats.Prices),
			"write an absolute path")
	}
	if err := checkNotice(c.Run.Notice); err != nil {
		return fileError(path, fmt.Errorf("run.notice: %w", err), noticeHint)
	}
	if _, err := c.Run.Ignored(); err != nil {
		return fileError(path, fmt.Errorf("run.ignore: %w", err),
			`patterns are folders ("~/private"), commands ("psql") and git remotes ("git@host:*"), with *, ? and [a-z]`)
	}
	if _, err := c.Retention.Policy(); err != nil {
		return fileError(path, fmt.Errorf("retention: %w", err), `write older_than as "90d" or "1y", max_size as "10GB"`)
	}
	if _, err := c.Notify.Options(); err != nil {
		return fileError(path, err, "see docs/notify.md")
	}
	if _, err := cli.ParseKey(c.Attach.DetachKey); err != nil {
		return fileError(path, fmt.Errorf("attach.detach_key: %w", err), cli.KeyHint)
	}
	if _, err := c.Team.Rules(false); err != nil {
		return fileError(path, fmt.Errorf("team: %w", err), `write absolute paths, or paths such as "~/work"`)
	}
	if _, err := c.Redact.Redactor(); err != nil {
		return fileError(path, err, "patterns are RE2: https://github.com/google/re2/wiki/Syntax")
	}
	return nil
}

const noticeHint = "write first, always or never"

func checkNotice(text string) error {
	if !slices.Contains([]string{NoticeFirst, NoticeAlways, NoticeNever}, text) {
		return fmt.Errorf("unknown value %q", text)
	}
	return nil
}

func fileError(path string, err error, hint string) error {
	return failure.New(fmt.Errorf("%s: %w", path, err), hint)
}

// environment overrides c with settings from environment variables, except $PTYREC_DB, see
// DatabasePath.
func (c *Config) environment(get func(string) string) error {
	for name, to := range map[string]*bool{"PTYREC_INPUT": &c.Run.Input, "PTYREC_REDACT": &c.Redact.Enabled} {
		text := get(name)
		if text == "" {
			continue
		}
		on, err := strconv.ParseBool(text)
		if err != nil {
			return failure.New(fmt.Errorf("$%s is %q", name, text), "write true or false")
		}
		*to = on
	}
	for name, to := range map[string]*string{"PTYREC_TEAM_SERVER": &c.Team.Server, "PTYREC_TEAM_SPACE": &c.Team.Space} {
		if text := get(name); text != "" {
			*to = text
		}
	}
	if text := get("PTYREC_NOTICE"); text != "" {
		if err := checkNotice(text); err != nil {
			return failure.New(fmt.Errorf("$PTYREC_NOTICE: %w", err), noticeHint)
		}
		c.Run.Notice = text
	}
	return nil
}

// Redactor returns the Redactor, or nil if redaction is off.
func (c *Redact) Redactor() (*redact.Redactor, error) {
	r, err := redact.New(redact.Options{Patterns: c.Patterns, Unknown: !c.Known})
	if !c.Enabled {
		r = nil
	}
	return r, err
}

// keys returns all keys of the file.
func keys() []string {
	return []string{"database", "run", "run.input", "run.notice", "run.ignore", "retention", "retention.older_than",
		"retention.max_size", "retention.keep_tagged", "notify", "notify.after", "notify.bell", "notify.osc",
		"notify.desktop", "notify.command", "notify.webhook", "notify.secret",
		"notify.text", "notify.quiet", "notify.only_unwatched", "stats", "stats.prices", "attach", "attach.detach_key",
		"redact", "redact.enabled", "redact.known", "redact.patterns", "redact.patterns.name", "redact.patterns.regexp",
		"team", "team.server", "team.folders", "team.agents", "team.raw", "team.live", "team.space", "team.spaces",
		"team.spaces.folder", "team.spaces.space"}
}

// DatabasePath returns the path of the database: $PTYREC_DB, else the configured one, else
// $XDG_DATA_HOME/ptyrec/ptyrec.db.
func DatabasePath(load func() (*Config, error)) (string, error) {
	if path := os.Getenv("PTYREC_DB"); path != "" {
		return path, nil
	}
	c, err := load()
	if err != nil {
		return "", err
	}
	if c.Database != "" {
		return c.Database, nil
	}
	data, err := sys.DataFolder()
	if err != nil {
		return "", failure.New(err, "set HOME, or name the database with --db FILE")
	}
	return filepath.Join(data, "ptyrec", "ptyrec.db"), nil
}
