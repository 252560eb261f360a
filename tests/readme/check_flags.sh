#!/usr/bin/env bash
# check_flags.sh SOURCE_DIR BUILD_DIR
# docs/flags.md lists exactly the flags that ontime-master and ontime-worker have.
set -euo pipefail
source_dir=$1 build_dir=$2
page=$source_dir/docs/flags.md
status=0
for program in ontime-master ontime-worker; do
  has=$("$build_dir/bin/$program" --help | awk '/^  -/' | grep -oE -- '--[a-z-]+' | grep -vx -- --help | sort -u)
  # The first column of the section's table.
  listed=$(awk -v title="## $program" '/^## /{inside = $0 == title} inside && /^\| `/' "$page" | cut -d'|' -f2 |
    grep -oE -- '--[a-z-]+' | sort -u)
  diff <(echo "$listed") <(echo "$has") || { echo "$page, $program: < is listed, > is what the program has"; status=1; }
done
exit "$status"
