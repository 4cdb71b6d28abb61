# Completion of oid in bash: source <(oid completion bash)
_oid() {
  local line width=0 current="${COMP_WORDS[COMP_CWORD]}" words=() about=() asked=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
  [[ $current == -* ]] && asked+=("$current")
  while IFS= read -r line; do
    [[ ${line%%:*} == "$current"* ]] || continue
    words+=("${line%%:*}")
    about+=("${line#"${line%%:*}"}")
    (( ${#words[${#words[@]}-1]} > width )) && width=${#words[${#words[@]}-1]}
  done < <("$1" "${asked[@]}" --generate-shell-completion 2>/dev/null)
  COMPREPLY=("${words[@]}")
  # The second Tab lists the words: with their descriptions.
  if [[ ${COMP_TYPE-} == 63 && ${#words[@]} -gt 1 ]]; then
    local i
    for i in "${!words[@]}"; do
      [[ -z ${about[i]} ]] || printf -v "COMPREPLY[$i]" '%-*s  (%s)' "$width" "${words[i]}" "${about[i]#:}"
    done
  fi
}
complete -o default -F _oid oid
