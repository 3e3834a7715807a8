# ptyrec: records agents. Made by `ptyrec init fish`.
#agent
function AGENT
    if set -q PTYREC_SESSION; and test -n "$PTYREC_SESSION"
        command AGENT $argv
    else
        command ptyrec run -- AGENT $argv
    end
end
#end
#record
if status is-interactive; and test -z "$PTYREC_SESSION"; and isatty stdin; and command -q ptyrec
    exec ptyrec run -- fish
end
#end
if status is-interactive
    # OSC 133: A prompt, C output, D end with status. fish 4 marks by itself.
    if test (string split . -- $version)[1] -lt 4
        function __ptyrec_prompt --on-event fish_prompt
            printf '\e]133;A\a'
        end
        function __ptyrec_preexec --on-event fish_preexec
            printf '\e]133;C\a'
        end
        function __ptyrec_postexec --on-event fish_postexec
            printf '\e]133;D;%s\a' $status
        end
    end
    command -q ptyrec; and command ptyrec completion fish | source
end
