# Completion of oid in fish: oid completion fish > ~/.config/fish/completions/oid.fish
function __oid_complete
    set -l words (commandline -opc)
    oid __complete "="(commandline -ct | string collect --allow-empty) $words[2..-1] 2>/dev/null
end
complete -c oid -f -n 'test (count (__oid_complete)) -gt 0' -a '(__oid_complete)'
