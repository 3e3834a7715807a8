# ptyrec: records agents. Made by `ptyrec init bash`.
#agent
AGENT() {
  if [ -n "${PTYREC_SESSION-}" ]; then command AGENT "$@"; else command ptyrec run -- AGENT "$@"; fi
}
#end
#record
if [[ $- == *i* && -z ${PTYREC_SESSION-} && -t 0 && -t 1 ]] && command -v ptyrec >/dev/null; then
  exec ptyrec run -- "${BASH:-bash}"
fi
#end
if [[ $- == *i* && -z ${__ptyrec_marks-} ]]; then
  __ptyrec_marks=1
  # OSC 133: A prompt, B command, C output, D end with status (FinalTerm's shell integration).
  __ptyrec_prompt() {
    local status=$?
    [ -n "${__ptyrec_ran-}" ] && printf '\033]133;D;%s\007' "$status"
    __ptyrec_ran=
    return $status
  }
  __ptyrec_mark() {
    case $PS1 in *133\;A*) ;; *) PS1='\[\033]133;A\007\]'$PS1'\[\033]133;B\007\]' ;; esac
  }
  PROMPT_COMMAND="__ptyrec_prompt${PROMPT_COMMAND:+; ${PROMPT_COMMAND[*]}}; __ptyrec_mark"
  __ptyrec_output=$'\033]133;C\007'
  PS0='${__ptyrec_ran:=$__ptyrec_output}'${PS0-}
  command -v ptyrec >/dev/null && . <(command ptyrec completion bash)
fi
