# Completion of oid in bash: source <(oid completion bash)
_oid() {
  local line width=0 words=() about=()
  while IFS= read -r line; do
    words+=("${line%%$'\t'*}")
    about+=("${line#*$'\t'}")
    (( ${#words[${#words[@]}-1]} > width )) && width=${#words[${#words[@]}-1]}
  done < <("$1" __complete "=${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
  COMPREPLY=("${words[@]}")
  # The second Tab lists the words: with their descriptions.
  if [[ ${COMP_TYPE-} == 63 && ${#words[@]} -gt 1 ]]; then
    local i
    for i in "${!words[@]}"; do
      [[ -z ${about[i]} ]] || printf -v "COMPREPLY[$i]" '%-*s  (%s)' "$width" "${words[i]}" "${about[i]}"
    done
  fi
}
complete -o default -F _oid oid
