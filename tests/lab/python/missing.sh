#!/usr/bin/env bash
# missing.sh ONTIME SCENARIO: where Python or its packages are missing, one sentence says so, and the rows are there.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
printf '#!/bin/sh\nexit 69\n' >lacks-packages
chmod +x lacks-packages
for python in "$work/lacks-packages" "$work/no-such-program"; do
  status=0
  ONTIME_PYTHON=$python "$1" experiment "$2" --output results --quiet >out 2>err || status=$?
  [ "$status" -eq 1 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'rows are in .*/results, but .*python3-pandas' err ||
    { echo "$status"; cat out err; exit 1; }
  grep -q '^split-resume,' results/jobs.csv
done
