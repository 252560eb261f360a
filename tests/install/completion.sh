#!/usr/bin/env bash
# completion.sh BIN_DIR SHARE_DIR
# The installed files in real shells: what bash, zsh and fish offer (the latter two where they are installed), and that
# man accepts the manual pages.
set -euo pipefail
export PATH=$1:$PATH
share=$2

expect() {  # WHAT EXPECTED GOT
  [ "$2" = "$3" ] || { printf '%s: expected\n%s\ngot\n%s\n' "$1" "$2" "$3"; exit 1; }
}

in_bash() {  # WORD...: what bash would offer for the last one
  bash --norc -c '
    source "$0"
    complete -p ontime >/dev/null
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _ontime ontime "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
    printf "%s\n" "${COMPREPLY[@]}"' "$share/bash-completion/completions/ontime" "$@"
}

registered=$(bash --norc -c 'source "$0"; complete -p ontime' "$share/bash-completion/completions/ontime")
expect registered "complete -o default -F _ontime ontime" "$registered"
expect verb submit "$(in_bash ontime sub)"
expect flags $'--policy\n--policy-set' "$(in_bash ontime run wordcount book.txt --pol)"
expect value kill "$(in_bash ontime run --on-miss k)"
expect "value behind =" kill "$(in_bash ontime run --on-miss = k)"
expect "a verb of ontime-lab" --event-log "$(in_bash ontime simulate --ev)"
expect file "" "$(in_bash ontime verify "")"
expect "another program" --journal-sync "$(bash --norc -c 'ontime-master --complete --journal-s' | cut -f1)"

if command -v zsh >/dev/null; then
  offered=$(zsh -f -c '
    _describe() { print -l -- "${(@P)2%%:*}"; }
    compdef() { }
    source "$1"
    words=(ontime sub) CURRENT=2
    _ontime' zsh "$share/zsh/site-functions/_ontime")
  expect zsh submit "$offered"
fi
if command -v fish >/dev/null; then
  offered=$(fish --no-config -c "source $share/fish/vendor_completions.d/ontime.fish; complete -C 'ontime sub'" | cut -f1)
  expect fish submit "$offered"
fi

for page in ontime ontime-lab ontime-master ontime-worker; do
  file=$share/man/man1/$page.1
  [ -s "$file" ]
  if command -v groff >/dev/null; then
    expect "warnings about $page.1" "" "$(groff -man -ww -b -Tascii "$file" 2>&1 >/dev/null)"
  fi
done
