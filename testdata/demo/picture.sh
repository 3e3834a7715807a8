#!/bin/sh
# picture.sh PTYREC OUT.svg records tmux with the stand-in agent on the left and its conversation, as
# ptyrec tail prints it, on the right, and writes the recording as an animated picture.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset PTYREC_SESSION TMUX XDG_CONFIG_HOME XDG_DATA_HOME
mkdir -p "$tmp/bin" "$tmp/.config/ptyrec"
printf '[run]\nnotice = "never"\n' > "$tmp/.config/ptyrec/config.toml"
ln -s "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")" "$tmp/bin/ptyrec"
ln -s "$here/agent.sh" "$tmp/bin/claude"
export PATH="$tmp/bin:$PATH" HOME="$tmp" PAUSE=1 TERM=xterm-256color LANG=C.UTF-8
cat > "$tmp/tmux.conf" <<END
set -g status off
set -g default-terminal tmux-256color
set -g default-shell /bin/sh
set -g pane-border-style fg=colour240
set -g pane-active-border-style fg=colour240
END
cat > "$tmp/left" <<END
unset PTYREC_SESSION
printf '\$ ptyrec run -- claude\n'
ptyrec --db "$tmp/inner.db" run -- claude
sleep 4
tmux -S "$tmp/socket" kill-server
END
cat > "$tmp/right" <<END
printf '\$ ptyrec tail --tools\n'
until ptyrec --db "$tmp/inner.db" list --live --json 2>/dev/null | grep -q '"live"'; do sleep 0.2; done
ptyrec --db "$tmp/inner.db" tail --tools
sleep 60
END
ptyrec --db "$tmp/outer.db" run --detach --size 140x28 -- \
	tmux -S "$tmp/socket" -f "$tmp/tmux.conf" new-session "sh $tmp/left" \; \
	split-window -d -h -l 58 "sh $tmp/right" > /dev/null
ptyrec --db "$tmp/outer.db" wait last --exit > /dev/null
ptyrec --db "$tmp/outer.db" export last "$out" --animate
