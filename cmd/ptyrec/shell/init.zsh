# ptyrec: records agents. Made by `ptyrec init zsh`.
#agent
AGENT() {
  if [[ -n ${PTYREC_SESSION-} ]]; then command AGENT "$@"; else command ptyrec run -- AGENT "$@"; fi
}
#end
#record
if [[ -o interactive && -z ${PTYREC_SESSION-} && -t 0 && -t 1 ]] && (( $+commands[ptyrec] )); then
  exec ptyrec run -- zsh
fi
#end
if [[ -o interactive && -z ${__ptyrec_marks-} ]]; then
  __ptyrec_marks=1
  # OSC 133: A prompt, B command, C output, D end with status (FinalTerm's shell integration).
  __ptyrec_precmd() {
    local ended=$?
    [[ -n ${__ptyrec_ran-} ]] && printf '\033]133;D;%s\007' $ended
    __ptyrec_ran=
    [[ $PS1 == *133\;A* ]] || PS1=$'%{\033]133;A\007%}'$PS1$'%{\033]133;B\007%}'
  }
  __ptyrec_preexec() {
    __ptyrec_ran=1
    printf '\033]133;C\007'
  }
  autoload -Uz add-zsh-hook
  add-zsh-hook precmd __ptyrec_precmd
  add-zsh-hook preexec __ptyrec_preexec
  (( $+functions[compdef] && $+commands[ptyrec] )) && source <(command ptyrec completion zsh)
fi
