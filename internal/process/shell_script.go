package process

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// endMark is the beginning of the last line of a state file. The shell's options and folder follow.
const endMark = "# end "

// parseEnd parses the last line of a state file. ok is false if the file is incomplete.
func parseEnd(text []byte) (options, cwd string, ok bool) {
	text = bytes.TrimSuffix(text, []byte("\n"))
	line, ok := strings.CutPrefix(string(text[bytes.LastIndexByte(text, '\n')+1:]), endMark)
	options, cwd, found := strings.Cut(line, " ")
	return options, cwd, ok && found
}

// wrapper is the script that runs a command of a shell session in its own bash. The bash starts
// with the folder, umask, options, variables, functions and aliases that the previous one wrote to
// a file, and writes its own when it exits. The script must work whatever the command does to the
// shell: functions and variables of the user do not interfere with it, and it is not traced.
type wrapper struct {
	command  string
	cwd      string            // for this command only
	env      map[string]string // for this command only
	old, new string            // state files to read and to write; empty for none
	options  string            // SHELLOPTS of the previous bash
}

// ownVariables is a pattern for the variables that bash sets itself, and those of the wrapper.
const ownVariables = `BASH|BASHOPTS|BASHPID|BASH_A*|BASH_CMDS|BASH_COMMAND|BASH_EXECUTION_STRING|BASH_LINENO|` +
	`BASH_REMATCH|` +
	`BASH_SOURCE|BASH_SUBSHELL|BASH_VERS*|COMP_WORDBREAKS|DIRSTACK|EPOCH*|EUID|FUNCNAME|GROUPS|HISTCMD|LINENO|` +
	`PIPESTATUS|` +
	`PPID|PTYREC_SESSION|PWD|RANDOM|SECONDS|SHELLOPTS|SHLVL|SRANDOM|UID|_|__ptyrec_*`

// save is executed when the shell exits. %[1]s is the file, %[2]s the pattern of variables to omit,
// %[3]s the folder.
const save = `[[ ${__ptyrec_saved-} ]] || { __ptyrec_options=$SHELLOPTS __ptyrec_saved=1; builtin set +eux +o posix; {
builtin shopt -p; builtin echo 'shopt -u expand_aliases'; builtin umask -p; builtin printf 'cd -- %%q\n' "%[3]s";
[[ ! -v IFS ]] && builtin echo 'unset IFS' || builtin declare -p IFS; IFS=$'\n';
for __ptyrec_name in $(builtin compgen -v); do case $__ptyrec_name in IFS|%[2]s) ;; *) builtin declare -p ` +
	`"$__ptyrec_name";; esac; done;
[[ ! ${__ptyrec_kept-} ]] || builtin printf '%%s\n' "$__ptyrec_kept"; builtin declare -f; builtin declare -Fx; ` +
	`builtin alias -p;
builtin shopt -q expand_aliases && builtin echo 'shopt -s expand_aliases';
builtin printf '` + endMark + `%%s %%q\n' "$__ptyrec_options" "%[3]s"; } >|%[1]s; }`

func (w wrapper) script() string {
	var b strings.Builder
	if w.old != "" {
		fmt.Fprintf(&b, ". %s >/dev/null 2>&1; ", quote(w.old))
	}
	names := slices.Sorted(maps.Keys(w.env))
	if w.new != "" {
		b.WriteString("__ptyrec_cwd=$PWD; ")
		if len(names) > 0 {
			fmt.Fprintf(&b, "__ptyrec_kept=$(builtin declare -p %s 2>/dev/null); ", strings.Join(names, " "))
		}
		if w.cwd != "" {
			names = append(names, "OLDPWD")
			b.WriteString("__ptyrec_kept+=$'\\n'$(builtin declare -p OLDPWD 2>/dev/null); ")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.env)) {
		fmt.Fprintf(&b, "export %s=%s; ", name, quote(w.env[name]))
	}
	if w.cwd != "" {
		fmt.Fprintf(&b, "builtin cd -- %s || exit 1; ", quote(w.cwd))
	}
	if w.new != "" {
		dir := "$PWD"
		if w.cwd != "" {
			dir = "$__ptyrec_cwd"
		}
		text := fmt.Sprintf(save, quote(w.new), strings.Join(append(names, ownVariables), "|"), dir)
		fmt.Fprintf(&b, "__ptyrec_save=%s; ", quote(strings.ReplaceAll(text, "\n", " ")))
		b.WriteString(`builtin trap '{ builtin eval "$__ptyrec_save"; } 2>/dev/null' EXIT; `)
	}
	fmt.Fprintf(&b, "eval %s", quote(w.setOptions()+w.command))
	if w.new != "" {
		b.WriteString("\n{ __ptyrec_status=$?; builtin eval \"$__ptyrec_save\"; } 2>/dev/null; exit $__ptyrec_status")
	}
	return b.String()
}

// usualOptions are the options that are set in every bash.
var usualOptions = []string{"braceexpand", "hashall", "interactive-comments"}

// setOptions returns the command that sets the options of the previous bash.
func (w wrapper) setOptions() string {
	if w.options == "" {
		return ""
	}
	text := ""
	on := strings.Split(w.options, ":")
	for _, o := range usualOptions {
		if !slices.Contains(on, o) {
			text += " +o " + o
		}
	}
	for _, o := range on {
		if !slices.Contains(usualOptions, o) && isOption(o) {
			text += " -o " + o
		}
	}
	if text == "" {
		return ""
	}
	return "set" + text + "; "
}

// isOption reports whether a word is safe to use as the name of an option.
func isOption(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// quote quotes text as a word for the shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
