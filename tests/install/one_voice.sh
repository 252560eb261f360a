#!/usr/bin/env bash
# one_voice.sh PROGRAM...
# Programs for developers refuse bad usage as all others do: one sentence in our own words, and exit code 2.
set -euo pipefail
for program in "$@"; do
  name=$(basename "$program")
  status=0
  said=$("$program" --nonsense 2>&1) || status=$?
  wanted="$name: There is no flag '--nonsense'; see '$name --help'."
  [ "$status" -eq 2 ] && [ "$said" = "$wanted" ] || { printf 'exit code %s\n%s\nwanted\n%s\n' "$status" "$said" "$wanted"; exit 1; }
  "$program" --help | grep '^Usage: ' >/dev/null || { echo "$name --help shows no usage"; exit 1; }
done
