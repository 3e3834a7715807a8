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
if [[ $- == *i* ]] && shopt -q promptvars; then
  # OSC 133: A prompt, B command, C output, D end with status (FinalTerm's shell integration). Bash
  # itself makes $? right when it expands PS1, whatever PROMPT_COMMAND holds: D is in there. The
  # arithmetic in the prompts says whether a command ran since the last one.
  __ptyrec_ran=0 __ptyrec_is=('' 1) __ptyrec_output=$'\033]133;C\007'
  __ptyrec_prompt() {
    local status=$? part
    for part in "${PROMPT_COMMAND[@]-}"; do # D comes before what others print, if $? is sure to be the command's
      if [[ $part == __ptyrec_prompt* && ${#FUNCNAME[@]} == 1 ]]; then
        [[ -z ${__ptyrec_is[__ptyrec_ran]-} ]] || printf '\033]133;D;%s\007' "$status"
        __ptyrec_ran=0
      fi
    done
    case $PWD in *[[:cntrl:]]*) ;; *) printf '\033]7;file://%s%s\007' "${HOSTNAME-}" "${PWD//\%/%25}" ;; esac # the folder
    [[ $- == *e* ]] || return $status # for who comes next; with set -e it would end the shell
  }
  __ptyrec_mark() {
    local end='\[${__ptyrec_is[__ptyrec_ran]:+\033]133;D;$?\007}${__ptyrec_is:__ptyrec_ran=0}'
    case ${PS1-} in
      *__ptyrec_ran*) ;;
      *133\;A*) PS1=$end'\]'$PS1 ;;
      ?*) PS1=$end'\033]133;A\007\]'$PS1'\[\033]133;B\007\]' ;;
    esac
    [[ ${PS0-} == *__ptyrec_ran* ]] || PS0='${__ptyrec_output:(__ptyrec_ran=1)*0}'${PS0-}
    if [[ -z ${__ptyrec_last-} && ${PROMPT_COMMAND[*]-} != *__ptyrec_mark ]]; then # others may set PS1 behind us
      __ptyrec_last=1
      __ptyrec_hook '' __ptyrec_mark
    fi
  }
  __ptyrec_hook() { # before and behind what is in PROMPT_COMMAND
    local flags
    flags=$(declare -p PROMPT_COMMAND 2>/dev/null) || :
    flags=${flags#declare } flags=${flags%% *}
    case $flags in
      *r*) ;; # readonly
      *a*) PROMPT_COMMAND=(${1:+"$1"} "${PROMPT_COMMAND[@]}" "$2") ;;
      *) PROMPT_COMMAND=${1:+$1$'\n'}${PROMPT_COMMAND-}$'\n'$2 ;;
    esac
  }
  [[ ${PROMPT_COMMAND[*]-} == *__ptyrec_prompt* ]] || __ptyrec_hook __ptyrec_prompt __ptyrec_mark
  __ptyrec_last=
  __ptyrec_mark
fi
if [[ $- == *i* && -z ${__ptyrec_completes-} ]]; then
  __ptyrec_completes=1
  # What the completion asks for, where the package bash-completion is not there.
  declare -F _get_comp_words_by_ref >/dev/null || _get_comp_words_by_ref() {
    cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
  }
#completion
fi
