#compdef oid
# Completion of oid in zsh: source <(oid completion zsh)
_oid() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done < <("${words[1]}" __complete "=${words[CURRENT]}" "${(@)words[2,CURRENT-1]}" 2>/dev/null)
  if (( ${#found} )); then
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
