// xterm.js, in a script of its own: the list does not need it, and a session shows its conversation first.
export { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
export { Terminal } from "@xterm/xterm";
