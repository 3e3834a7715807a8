# ptyrec: records agents. Made by `ptyrec init zsh`.
#agent
AGENT() {
  if [[ -z ${PTYREC_SESSION-} && -t 0 && -t 1 ]] && (( $+commands[ptyrec] )); then
    command ptyrec run --anyway -- AGENT "$@"
  else
    command AGENT "$@"
  fi
}
#end
#record
if [[ -o interactive && -z ${PTYREC_SESSION-} && -t 0 && -t 1 ]] && (( $+commands[ptyrec] )); then
  exec ptyrec run --anyway -- zsh
fi
#end
if [[ -o interactive && -z ${__ptyrec_marks-} ]]; then
  __ptyrec_marks=1
  # OSC 133: A prompt, B command, C output, D end with status (FinalTerm's shell integration).
  __ptyrec_precmd() {
    local ended=$?
    [[ -n ${__ptyrec_ran-} ]] && printf '\033]133;D;%s\007' $ended
    __ptyrec_ran=
    [[ $PWD == *[[:cntrl:]]* ]] || printf '\033]7;file://%s%s\007' "${HOST-}" "${PWD//\%/%25}" # the folder
    [[ $PS1 == *133\;A* ]] || PS1=$'%{\033]133;A\007%}'$PS1$'%{\033]133;B\007%}'
    __ptyrec_last
  }
  # Themes set PS1 in hooks of their own, which may come later. From the second prompt on, ours are the last.
  __ptyrec_last() {
    emulate -L zsh
    precmd_functions=(${precmd_functions:#__ptyrec_precmd} __ptyrec_precmd)
    preexec_functions=(${preexec_functions:#__ptyrec_preexec} __ptyrec_preexec)
  }
  __ptyrec_preexec() {
    emulate -L zsh -o extendedglob
    local LC_ALL=C MATCH MBEGIN MEND
    typeset -g __ptyrec_ran=1
    (( $#1 < 2000 )) || set -- ''
    printf '\033]133;C;cmdline_url=%s\007' "${1//(#m)[^a-zA-Z0-9_.~\/-]/%${(l:2::0:)$(( [##16] #MATCH ))}}"
  }
  # Completion begins at the first prompt: by then compinit has run, wherever it stands.
  __ptyrec_complete() {
    add-zsh-hook -d precmd __ptyrec_complete
    if (( $+functions[compdef] )); then
      compdef _ptyrec ptyrec
    else
      print -ru2 -- 'ptyrec: words are not completed: add "autoload -Uz compinit && compinit" to ~/.zshrc'
    fi
  }
  zstyle ':completion:*:*:ptyrec:*' list-grouped false # zsh sorts what it groups; these are the newest first
  autoload -Uz add-zsh-hook
  add-zsh-hook precmd __ptyrec_precmd
  add-zsh-hook preexec __ptyrec_preexec
  add-zsh-hook precmd __ptyrec_complete
#completion
fi
