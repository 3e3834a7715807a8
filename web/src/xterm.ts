// xterm.js, in a script of its own: it is loaded when a terminal is shown. The list needs none, and a session shows its conversation first.
export { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
export { Terminal } from "@xterm/xterm";
