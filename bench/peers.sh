#!/bin/sh
# Measures what recording costs, for ptyrec and other recorders that are installed. ptybench.c reads their output.
#
#   bench/peers.sh [PTYREC]      the program, default bin/ptyrec
#   RUNS=7 TEXT=60 ANSI=20 KEYS=2000 IDLE=10    how often, MB of text and of control sequences, keys, seconds
#
# Each number of the first table is a median of RUNS, of which each has all programs, one after the other: what else the machine does meets them alike. x is the
# ratio to the bare command; of processor time, that of all processes, the loop's among them. The last table has minima relative to script. All of it
# takes five minutes on a quiet machine with 2 processors.
set -eu
cd "$(dirname "$0")/.."
ptyrec=$(realpath "${1:-bin/ptyrec}")
: "${RUNS:=7}" "${TEXT:=60}" "${ANSI:=20}" "${KEYS:=2000}" "${IDLE:=10}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
cc -O2 -o "$dir/ptybench" bench/ptybench.c -lutil
cd "$dir"
export PTYREC_DB="$dir/ptyrec.db" HOME="$dir" TERM=xterm-256color SHELL=/bin/sh
unset PTYREC_SESSION TMUX ASCIINEMA_REC || true

# Text as a build prints it, and a screen that is redrawn all the time.
awk -v n="$TEXT" 'BEGIN { for (size = 0; size < n * 1e6; size += length(s) + 1) {
	s = sprintf("%08d  compiling package number %d of the tree, %x", ++i, i * 7919 % 1000003, i * 104729); print s } }' > text
awk -v n="$ANSI" 'BEGIN { for (size = 0; size < n * 1e6; size += length(s)) { i++
	s = sprintf("\033[%d;%dH\033[38;5;%dm\033[1m%c%c\033[0m\033[K", i % 24 + 1, i * 7 % 80 + 1, i % 256, 33 + i % 90, 33 + i * 3 % 90); printf "%s", s } }' > ansi

# under NAME COMMAND... prints the arguments that run a command (words without blanks) under a recorder.
under() {
	name=$1; shift
	rm -f out.*
	case $name in
	bare) echo "$*" ;;
	ptyrec) echo "$ptyrec run -- $*" ;;
	script) echo "script -q -e -c $(quote "$*") out.script" ;;
	asciinema) echo "asciinema rec -q --overwrite -c $(quote "$*") out.cast" ;;
	ttyrec) echo "ttyrec -e $(quote "$*") out.tty" ;;
	tlog) echo "tlog-rec --writer=file --file-path=out.tlog -- $*" ;;
	tmux) echo "tmux -L bench$$ -f /dev/null new-session $(quote "$*")" ;;
	esac
}

quote() { printf "'%s'" "$1"; }

program() { case $1 in bare) echo sh ;; ptyrec) echo "$ptyrec" ;; tlog) echo tlog-rec ;; *) echo "$1" ;; esac; }

# measure NAME MODE COMMAND... runs ptybench once.
measure() {
	name=$1 mode=$2; shift 2
	eval "./ptybench $mode $(under "$name" "$@")" | tail -n 1
}

# median NAME FIELD prints the median of the numbers that follow a word.
median() {
	awk -v f="$2" '{ for (i = 1; i < NF; i++) if ($i == f) print $(i + 1) }' "runs.$1" 2>/dev/null | sort -n | awk '{ a[NR] = $1 } END { if (NR) print a[int((NR + 1) / 2)] }'
}

# least NAME FIELD prints the smallest one.
least() {
	awk -v f="$2" '{ for (i = 1; i < NF; i++) if ($i == f) print $(i + 1) }' "runs.$1" 2>/dev/null | sort -n | head -n 1
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0 && a != "") printf "%.2f", a / b; else print "-" }'; }

sum() { awk -v a="$1" -v b="$2" 'BEGIN { print a + b }'; }

names=
for name in bare ptyrec script asciinema ttyrec tlog tmux; do
	command -v "$(program $name)" > /dev/null 2>&1 && names="$names $name"
done
echo 'echo ready; exec cat' > echo.sh
n=0
while [ $n -lt "$RUNS" ]; do
	n=$((n + 1))
	for name in $names; do
		for file in text ansi; do
			measure "$name" flood cat $file >> "runs.$name.$file" || true
		done
		measure "$name" first echo hi >> "runs.$name.first" || true
	done
done
# A recorder that ends before the command does carries less, and looks fast. (tmux leaves out what nobody sees.)
for name in $names; do
	[ "$name" = tmux ] && continue
	for file in text ansi; do
		awk -v want="$(least bare.$file bytes)" -v what="$name $file" '{ for (i = 1; i < NF; i++) if ($i == "bytes") n = $(i + 1) }
			n < want { lost++; next } { print } END { if (lost) print what ": " lost " runs lost output and are left out" > "/dev/stderr" }' "runs.$name.$file" > whole
		mv whole "runs.$name.$file"
	done
done
printf '%-10s %8s %6s %6s %8s %8s %6s %6s %8s %8s %7s %7s %8s\n' program text/ms x cpu-x KiB ansi/ms x cpu-x KiB first/ms p50/us p99/us wakeups
for name in $names; do
	printf '%-10s' "$name"
	for file in text ansi; do
		wall=$(median "$name.$file" wall) cpu=$(sum "$(median "$name.$file" cpu)" "$(median "$name.$file" loop)")
		bare=$(sum "$(median bare.$file cpu)" "$(median bare.$file loop)")
		printf ' %8s %6s %6s %8s' "$wall" "$(ratio "$wall" "$(median bare.$file wall)")" "$(ratio "$cpu" "$bare")" "$(median "$name.$file" memory)"
	done
	printf ' %8s' "$(median "$name.first" first)"
	measure "$name" "keys $KEYS" sh echo.sh > runs.keys || true
	printf ' %7s %7s' "$(median keys p50)" "$(median keys p99)"
	measure "$name" "idle $IDLE" sh echo.sh > runs.idle || true
	printf ' %8s\n' "$(median idle wakeups)"
done
echo "tmux draws a screen of its own and leaves out what nobody sees; its server's CPU and memory are not counted."

# thirty NAME prints the milliseconds in which 30 sessions end that print 10 MB each at the same time.
thirty() {
	begun=$(date +%s%N)
	for i in $(seq 30); do
		case $1 in
		script) ./ptybench flood script -q -e -c 'cat ten' "out.$i" > /dev/null & ;;
		ptyrec) ./ptybench flood "$ptyrec" run -- cat ten > /dev/null & ;;
		esac
	done
	wait
	echo "wall $((($(date +%s%N) - begun) / 1000000))"
	rm -f out.*
}

head -c 10000000 text > ten
n=0
while [ $n -lt 3 ]; do
	n=$((n + 1))
	for name in bare script ptyrec; do
		measure $name "keys $KEYS" sh echo.sh >> runs.$name.keys || true
		for i in 1 2 3 4 5 6 7; do measure $name flood true >> runs.$name.true || true; done
	done
	for name in script ptyrec; do thirty $name >> runs.$name.thirty; done
done
whole=$("$ptyrec" list -n 0 --json | awk -F '[:,]' '/"raw_bytes"/ && $2 >= 10000000 && $2 < 11000000 { n++ } END { print n + 0 }')
over() { awk -v a="$(least "$1.keys" "$2")" -v b="$(least bare.keys "$2")" 'BEGIN { print a - b }'; }
all() { sum "$(least "$1" cpu)" "$(least "$1" loop)"; }
row() { printf '%-46s %-14s %s\n' "$@"; }

# What else the machine does only ever adds, so that minima compare better than medians on a busy one.
printf '\n'
row "minima, of ptyrec" seen wanted
row "text, wall / CPU relative to script" "$(ratio "$(least ptyrec.text wall)" "$(least script.text wall)") / $(ratio "$(all ptyrec.text)" "$(all script.text)")" ".9 / .9"
row "ANSI, wall / CPU relative to script" "$(ratio "$(least ptyrec.ansi wall)" "$(least script.ansi wall)") / $(ratio "$(all ptyrec.ansi)" "$(all script.ansi)")" "1.2 / 1.3"
row "peak memory, text / ANSI, KiB" "$(median ptyrec.text memory) / $(median ptyrec.ansi memory)" 32768
row "key to echo over bare, p50 / p99, us" "$(over ptyrec p50) / $(over ptyrec p99)" "50 / 100 (script: $(over script p50) / $(over script p99))"
row "run -- true, ms" "$(least ptyrec.true wall)" 25
row "30 sessions of 10 MB, wall relative to script" "$(ratio "$(least ptyrec.thirty wall)" "$(least script.thirty wall)")" "1.2, whole: $whole of 90"
