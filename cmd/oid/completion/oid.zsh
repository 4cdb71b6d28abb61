#compdef oid
# Completion of oid in zsh: source <(oid completion zsh)
_oid() {
  local -a found asked
  asked=("${(@)words[2,CURRENT-1]}")
  [[ ${words[CURRENT]} == -* ]] && asked+=("${words[CURRENT]}")
  found=("${(@f)$("${words[1]}" "${asked[@]}" --generate-shell-completion 2>/dev/null)}")
  if [[ -n ${found[1]} ]]; then
    _describe oid found
  else
    _files
  fi
}
if [[ ${funcstack[1]} == _oid ]]; then
  _oid "$@"
else
  compdef _oid oid
fi
