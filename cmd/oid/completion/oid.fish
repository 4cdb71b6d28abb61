# Completion of oid in fish: oid completion fish > ~/.config/fish/completions/oid.fish
function __oid_complete
    set -l asked (commandline -opc)
    set -l current (commandline -ct)
    string match -q -- '-*' $current; and set -a asked $current
    $asked --generate-shell-completion 2>/dev/null | string replace : \t
end
complete -c oid -f -n 'test (count (__oid_complete)) -gt 0' -a '(__oid_complete)'
