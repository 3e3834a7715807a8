#!/bin/sh
# What `ptyrec sync` beside a recording costs: the wall time of `run -- true` with and without [team], and the memory and the CPU
# time of the process in the background, which has sent a session and then waits for another one to end. It prints figures and
# asserts none. Needs python3, which plays the server. Takes two minutes.
#
#   go build -o bin/ptyrec ./cmd/ptyrec && bench/team.sh bin/ptyrec
set -eu
ptyrec=$(realpath "${1:?usage: bench/team.sh PTYREC}")
dir=$(mktemp -d)
trap 'kill $server $last $sync 2>/dev/null; rm -rf "$dir"' EXIT
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

mkdir -p "$dir/work" "$dir/config/ptyrec"
cd "$dir/work"
wall() { # wall DATABASE: seconds of 40 runs, from the second on
	export PTYREC_DB="$dir/$1.db"
	"$ptyrec" run -- true
	python3 -c '
import statistics, subprocess, sys, time
took = []
for _ in range(40):
    begun = time.perf_counter()
    subprocess.run([sys.argv[1], "run", "--", "true"], check=True)
    took.append(1000 * (time.perf_counter() - begun))
print("run -- true, %s [team]: median %.1f ms, fastest %.1f ms" % (sys.argv[2], statistics.median(took), min(took)))' "$ptyrec" "$1"
}
wall without
printf '[team]\nserver = "http://127.0.0.1:%s"\nfolders = ["~/work"]\n' "$port" >"$dir/config/ptyrec/config.toml"
echo ptr_bench >"$dir/token"
"$ptyrec" login "http://127.0.0.1:$port" --token-file "$dir/token"
wall with

yes 'a line of output, to be read and sent' | head -200000 >"$dir/large"
"$ptyrec" run -- cat "$dir/large" >/dev/null
"$ptyrec" run -- sleep 100 &
last=$!
sleep 30 # it sends, and then waits
sync=$(pgrep -f "ptyrec --db $PTYREC_DB sync --background")
ticks() { awk '{ print $14 + $15 }' "/proc/$sync/stat"; }
before=$(ticks)
sleep 60
echo "sync, idle: $(($(ticks) - before)) of 6000 ticks of CPU time in a minute"
awk '/VmHWM/ { print "sync, at most: " $2 / 1024 " MiB" }' "/proc/$sync/status"
