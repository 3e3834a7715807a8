# ptyrec: records agents. Made by `ptyrec init fish`.
#agent
function AGENT
    if test -z "$PTYREC_SESSION"; and isatty stdin; and isatty stdout; and command -q ptyrec
        command ptyrec run --anyway -- AGENT $argv
    else
        command AGENT $argv
    end
end
#end
#record
if status is-interactive; and test -z "$PTYREC_SESSION"; and isatty stdin; and isatty stdout; and command -q ptyrec
    exec ptyrec run --anyway -- fish
end
#end
if status is-interactive
    # OSC 133: A prompt, B command, C output, D end with status. fish 4 marks by itself.
    if test (string split . -- $version)[1] -lt 4; and not functions -q __ptyrec_fish_prompt
        functions -q fish_prompt; or function fish_prompt; end # loads it
        functions -c fish_prompt __ptyrec_fish_prompt
        function fish_prompt
            printf '\e]7;file://%s%s\a' $hostname (string escape --style=url -- $PWD) # the folder
            printf '\e]133;A\a'
            __ptyrec_fish_prompt
            printf '\e]133;B\a'
        end
        function __ptyrec_preexec --on-event fish_preexec
            printf '\e]133;C;cmdline_url=%s\a' (string escape --style=url -- "$argv[1]")
        end
        function __ptyrec_postexec --on-event fish_postexec
            printf '\e]133;D;%s\a' $status
        end
    end
#completion
end
