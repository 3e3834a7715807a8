#!/bin/sh
# demo.sh PTYREC records the stand-in agent beside this file, in a database of its own, and shows what can be had from the recording.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset PTYREC_SESSION
ptyrec=$1
run() { printf '\n\033[1m$ %s\033[0m\n' "ptyrec $*"; "$ptyrec" --db "$tmp/demo.db" "$@"; }

run run -- "$here/agent.sh"
run list
run export --format md
run export "$tmp/session.json"
echo
echo "session.json holds the same as JSON, $(grep -c '"seq"' "$tmp/session.json") entries: see docs/format.md"
