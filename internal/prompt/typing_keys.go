package prompt

import (
	"fmt"
	"strings"
)

// namedKeys are the keys with names. Sequences that begin with ESC [ change with the modifiers.
var namedKeys = map[string]string{
	"enter": "\r", "tab": "\t", "space": " ", "escape": "\x1b", "esc": "\x1b", "backspace": "\x7f", "bspace": "\x7f",
	"btab": "\x1b[Z",
	"up":   "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
	"insert": "\x1b[2~", "ic": "\x1b[2~", "delete": "\x1b[3~", "dc": "\x1b[3~", "pageup": "\x1b[5~", "pgup": "\x1b[5~",
	"pagedown": "\x1b[6~", "pgdn": "\x1b[6~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~",
	"f8": "\x1b[19~",
	"f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
}

// Keys returns what a terminal sends for each of the keys in names, separated by spaces: "Down C-c
// F5". application reports whether the program asked for application cursor keys. See xterm's
// ctlseqs, "PC-Style Function Keys".
func Keys(names string, application bool) ([]string, error) {
	var keys []string
	for _, name := range strings.Fields(names) {
		key, err := keyByte(name, application)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func keyByte(name string, application bool) (string, error) {
	ctrl, alt, shift, rest, ok := modifiers(name)
	if !ok {
		return "", unknownKey(name)
	}
	key, named := namedKeys[strings.ToLower(rest)]
	switch {
	case named && len(key) > 1:
		return functionKey(key, ctrl, alt, shift, application), nil
	case named && key == "\t" && shift:
		key = "\x1b[Z"
	case !named && len([]rune(rest)) != 1:
		return "", unknownKey(name)
	case !named:
		key = rest
	}
	if ctrl {
		if key, ok = withCtrl(key); !ok {
			return "", unknownKey(name)
		}
	}
	if alt {
		key = "\x1b" + key
	}
	return key, nil
}

// modifiers splits the name of a key into its modifiers and the rest. ok is false if a modifier is
// unknown.
func modifiers(name string) (ctrl, alt, shift bool, rest string, ok bool) {
	for rest = name; len(rest) > 2 && rest[1] == '-'; rest = rest[2:] {
		switch rest[0] {
		case 'C', 'c', '^':
			ctrl = true
		case 'M', 'm':
			alt = true
		case 'S', 's':
			shift = true
		default:
			return false, false, false, "", false
		}
	}
	return ctrl, alt, shift, rest, true
}

// withCtrl returns the byte that a terminal sends for Ctrl and a key. ok is false if there is none.
func withCtrl(key string) (with string, ok bool) {
	switch c := strings.ToUpper(key)[0]; {
	case len(key) == 1 && c >= '@' && c <= '_':
		return string(rune(c & 0x1f)), true
	case key == " ":
		return "\x00", true
	case key == "?":
		return "\x7f", true
	}
	return "", false
}

// functionKey returns the sequence for a key with modifiers.
func functionKey(key string, ctrl, alt, shift, application bool) string {
	mods := 1
	for i, on := range []bool{shift, alt, ctrl} {
		if on {
			mods += 1 << i
		}
	}
	final, params := key[len(key)-1:], key[2:len(key)-1]
	switch {
	case mods > 1 && params == "":
		return fmt.Sprintf("\x1b[1;%d%s", mods, final)
	case mods > 1:
		return fmt.Sprintf("\x1b[%s;%d%s", params, mods, final)
	case application && params == "" && strings.Contains("ABCDHF", final):
		return "\x1bO" + final
	}
	return key
}

func unknownKey(name string) error {
	return fmt.Errorf("unknown key %q: see `ptyrec help send`", name)
}
