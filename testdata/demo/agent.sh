#!/bin/sh
# A stand-in for a coding agent: it draws a short, fixed conversation the way Claude Code does, so that ptyrec can be
# tried without one. It reads no input and touches no file. PAUSE is the seconds between two steps.
pause=${PAUSE:-0.4}
rule=$(printf '%80s' '' | sed 's/ /─/g')

box() {
	printf '\n\033[38;2;136;136;136m%s\033[39m\r\n❯\302\240%s\033[7m \033[27m\r\n\033[38;2;136;136;136m%s\033[39m\r\n' "$rule" "$1" "$rule"
	printf '  \033[38;2;153;153;153m? for shortcuts\033[39m'
	sleep "$pause"
}

unbox() { printf '\r\033[3A\033[J'; }

user() {
	box "$1"
	unbox
	printf '\033[48;2;55;55;55m\033[38;2;80;80;80m❯ \033[38;2;255;255;255m%-78s\033[39m\033[49m\r\n\r\n' "$1"
	printf '\033[38;2;215;119;87m✻\033[39m \033[38;2;215;119;87mThinking…\033[39m'
	sleep "$pause"
	printf '\r\033[K'
}

printf '\033[?25l\033[?2004h\033]0;✳ Claude Code\007'
printf '\033[38;2;215;119;87m ▐▛███▜▌\033[39m   \033[1mClaude Code\033[22m \033[38;2;153;153;153mv2.1.197\033[39m\r\n'
printf '\033[38;2;215;119;87m▝▜█████▛▘\033[39m  \033[38;2;153;153;153mOpus 4.8 · Demo\033[39m\r\n'
printf '\033[38;2;215;119;87m  ▘▘ ▝▝\033[39m    \033[38;2;153;153;153m~/demo\033[39m\r\n'

user 'How many tests does this project have?'
printf '\033[38;2;78;186;101m●\033[39m \033[1mBash\033[22m(grep -rc "^func Test" . | wc -l)\r\n'
printf '  ⎿  42\r\n\r\n'
sleep "$pause"
printf '● There are \033[1m42\033[22m tests. The slowest run in a real terminal: see \033[38;2;177;185;249mrecorder\033[39m.\r\n'

user 'Thanks. Which should I read first?'
printf '● Start with these two:\r\n\r\n'
sleep "$pause"
printf '  1. \033[38;2;177;185;249mrecorder/run_test.go\033[39m shows what a recording promises.\r\n'
printf '  2. \033[38;2;177;185;249msession/log_test.go\033[39m shows how messages are merged.\r\n'
box ''
printf '\r\n\033[?25h\033[?2004l\033]0;\007'
