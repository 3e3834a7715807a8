# ptyrec: records agents. Made by `ptyrec init bash`.
#agent
AGENT() {
  if [ -z "${PTYREC_SESSION-}" ] && [ -t 0 ] && [ -t 1 ] && command -v ptyrec >/dev/null; then
    command ptyrec run --anyway -- AGENT "$@"
  else
    command AGENT "$@"
  fi
}
#end
#record
if [[ $- == *i* && -z ${PTYREC_SESSION-} && -t 0 && -t 1 ]] && command -v ptyrec >/dev/null; then
  exec ptyrec run --anyway -- "${BASH:-bash}"
fi
#end
if [[ $- == *i* && -z ${__ptyrec_marks-} ]]; then
  __ptyrec_marks=1
  # OSC 133: A prompt, B command, C output, D end with status (FinalTerm's shell integration).
  __ptyrec_prompt() {
    local status=$?
    [ -n "${__ptyrec_ran-}" ] && printf '\033]133;D;%s\007' "$status"
    __ptyrec_ran=
    case $PWD in *[[:cntrl:]]*) ;; *) printf '\033]7;file://%s%s\007' "${HOSTNAME-}" "${PWD//\%/%25}" ;; esac # the folder
    return $status
  }
  __ptyrec_mark() { # D is in the prompt, too: somebody may empty PROMPT_COMMAND
    case $PS1 in *133\;A*) ;; *) PS1='\[${__ptyrec_ran:+\033]133;D;$?\007}\033]133;A\007\]'$PS1'\[\033]133;B\007\]' ;; esac
  }
  if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
    PROMPT_COMMAND=(__ptyrec_prompt "${PROMPT_COMMAND[@]}" __ptyrec_mark)
  else
    PROMPT_COMMAND=__ptyrec_prompt$'\n'${PROMPT_COMMAND-}$'\n'__ptyrec_mark
  fi
  __ptyrec_output=$'\033]133;C\007'
  PS0='${__ptyrec_ran:=$__ptyrec_output}'${PS0-}
  # What the completion asks for, where the package bash-completion is not there.
  declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
  }
#completion
fi
