#!/bin/sh
# Drives a real agent through ptyrec, as a program would: its prompt is sent with a grant, its reply read from the API of `ptyrec serve`.
#   LAB=DIR bench/drive.sh [claude|codex|gemini]
# LAB is the lab that runs agents against a scripted model (a folder with `record`); without it nothing is tried. Needs curl and jq.
set -eu
agent=${1:-claude}
if [ ! -x "${LAB:-}/record" ]; then
	echo "skipped: LAB names no folder with the lab's record"
	exit 0
fi
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
mkdir "$dir/run" "$dir/bin"
export XDG_RUNTIME_DIR="$dir/run" PTYREC_DB="$dir/ptyrec.db" PATH="$dir/bin:$PATH"
go build -o "$dir/bin/ptyrec" ./cmd/ptyrec
prompt='Tell me when the retry loop drops two stale rows'
reply='The retry loop drops them after a reconnect. The write-ahead log shows it.'

# The lab types nothing: the turn that has the prompt only sets the window's size, which it has already, and then waits for quiet.
jq -n --arg a "$agent" --arg p "$prompt" --arg r "$reply" '{name: "drive", agent: $a, cols: 100, rows: 30, quietMs: 60000,
	turns: [{resize: [100, 30], prompt: $p, reply: [{text: $r}]}, {resize: [100, 30]}, {resize: [100, 30]}]}' >"$dir/scenario.json"
"$LAB/record" --scenario "$dir/scenario.json" --out "$dir" \
	--wrap "env XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR $dir/bin/ptyrec --db $PTYREC_DB run --" >"$dir/lab.log" 2>&1 &
lab=$!
until [ -e "$PTYREC_DB" ] && ptyrec list --live --json 2>/dev/null | grep -q '"id"'; do
	kill -0 $lab 2>/dev/null || { cat "$dir/lab.log"; exit 1; }
	sleep 0.2
done
ptyrec serve --listen 127.0.0.1:0 >"$dir/url" 2>"$dir/serve.log" &
serve=$!
trap 'kill $serve $lab 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
until [ -s "$dir/url" ]; do sleep 0.1; done
url=$(sed 's/#.*//' "$dir/url")

fail() {
	echo "FAIL: $1"
	ptyrec screen last || true
	cat "$dir/lab.log"
	exit 1
}
ptyrec wait last --idle --timeout 60s || fail "the agent is not ready"
if ptyrec send last "$prompt" --enter 2>"$dir/refused"; then fail "it took a prompt without a grant"; fi
echo "without a grant: $(head -1 "$dir/refused")"
ptyrec grant last --for 5m
ptyrec send last "$prompt" --enter
for try in 1 2 3 4 5; do # one that is starved is idle for a while before it is busy
	ptyrec wait last --idle --timeout 60s || fail "the agent does not end"
	got=$(curl -fsS "${url}api/sessions/last/entries?limit=1000" | jq -r '[.entries[] | select(.role == "assistant")] | last | .text')
	[ "$got" = "$reply" ] && break
done
[ "$got" = "$reply" ] || fail "the API returns the reply: $got"
asked=$(curl -fsS "${url}api/sessions/last/entries?limit=1000" | jq -r '[.entries[] | select(.role == "user")] | last | .text')
[ "$asked" = "$prompt" ] || fail "the API returns the prompt: $asked"
ptyrec revoke last
if ptyrec send last "more" 2>/dev/null; then fail "it took keys after the grant was taken back"; fi
echo "ok after $try: $agent was asked \"$asked\" and replied \"$got\""
