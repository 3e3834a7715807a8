#!/bin/sh
# What `ptyrec sync` beside a recording costs: the wall time of `run -- true` and the time from a key to its echo, with and
# without [team], in turns and while a session is sent; the memory of the process in the background; and its CPU time while it waits
# for a session to end, with and without `live = true`. It prints figures and asserts none. Needs cc, and python3, which plays the
# server. Takes two and a half minutes.
#
#   go build -o bin/ptyrec ./cmd/ptyrec && bench/team.sh bin/ptyrec
set -eu
ptyrec=$(realpath "${1:?usage: bench/team.sh PTYREC}")
dir=$(mktemp -d)
cc -O2 -o "$dir/ptybench" "$(dirname "$0")/ptybench.c" -lutil
trap 'kill $server $last $sync 2>/dev/null; sleep 1; rm -rf "$dir"' EXIT
server= last= sync=
export HOME="$dir" XDG_RUNTIME_DIR="$dir" XDG_STATE_HOME="$dir/state" XDG_CONFIG_HOME="$dir/config" PTYREC_NOTICE=never
unset PTYREC_SESSION PTYREC_PRIVATE PTYREC_TEAM_SERVER PTYREC_TEAM_TOKEN PTYREC_DB || true

cat >"$dir/server.py" <<'END'
import http.server, json
class Team(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        known = self.command == "PUT" and "/raw" not in self.path
        body = json.dumps({"id": self.path.split("/")[3]} if known else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_PUT = do_POST = do_DELETE = answer
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Team)
print(server.server_port, flush=True)
server.serve_forever()
END
mkfifo "$dir/port"
python3 "$dir/server.py" >"$dir/port" &
server=$!
read -r port <"$dir/port"

mkdir -p "$dir/work" "$dir/with/ptyrec" "$dir/without/ptyrec"
cd "$dir/work"
: >"$dir/without/ptyrec/config.toml"
team() { printf '[team]\nserver = "http://127.0.0.1:%s"\nfolders = ["~/work"]\nlive = %s\n' "$port" "$1" >"$dir/with/ptyrec/config.toml"; }
team false
use() { export PTYREC_DB="$dir/$1.db" XDG_CONFIG_HOME="$dir/$1"; }
use with
echo ptr_bench >"$dir/token"
"$ptyrec" login "http://127.0.0.1:$port" --token-file "$dir/token"
echo 'echo ready; exec cat' >echo.sh
yes 'a line of output, to be read and sent' | head -20000 >"$dir/large"

for round in 1 2 3; do
	for with in without with; do
		use $with
		python3 -c '
import statistics, subprocess, sys, time
took = []
for _ in range(20):
    begun = time.perf_counter()
    subprocess.run([sys.argv[1], "run", "--", "true"], check=True)
    took.append(1000 * (time.perf_counter() - begun))
print("%-7s [team]: run -- true: median %.1f ms, fastest %.1f ms" % (sys.argv[2], statistics.median(took[1:]), min(took)))' "$ptyrec" $with
		"$ptyrec" run -- cat "$dir/large" >/dev/null # is sent during the keys
		printf '%-7s [team]: key to echo, µs: ' $with
		"$dir/ptybench" keys 1000 "$ptyrec" run -- sh echo.sh | tail -n 1
	done
done

# idle WHAT SECONDS: of a process that has sent all, and waits for a session to end.
idle() {
	"$ptyrec" run -- sleep 200 &
	last=$!
	sleep 2
	while "$ptyrec" sync --status 2>/dev/null | grep -q .; do sleep 1; done
	sleep 3
	sync=$(pgrep -f "ptyrec --db $PTYREC_DB sync --background")
	before=$(awk '{ print $14 + $15 }' "/proc/$sync/stat")
	sleep "$2"
	after=$(awk '{ print $14 + $15 }' "/proc/$sync/stat")
	echo "sync, idle$1: $((after - before)) of ${2}00 ticks of CPU time"
	awk '/VmHWM/ { printf "sync, memory at most: %.1f MB\n", $2 * 1024 / 1e6 }' "/proc/$sync/status"
	kill $last $sync
	wait $last 2>/dev/null || true
	last= sync=
}
use with
idle '' 50
team true
idle ', live = true' 50
