#!/usr/bin/env bash
# check_links.sh SOURCE_DIR
# Every relative link of README.md, docs/ and examples/ leads to a file, and so does every path in README's header guide.
set -euo pipefail
cd "$1"
status=0
for page in README.md docs/*.md examples/*.md; do
  for link in $(grep -oE '\]\([^)#:]+\)' "$page" | sed 's/^](//; s/)$//'); do
    [ -e "$(dirname "$page")/$link" ] || { echo "$page: $link leads nowhere"; status=1; }
  done
done
for path in $(grep -oE '`[a-z_]+/[a-z_/]+\.h`' README.md | tr -d '\140'); do
  [ -e "$path" ] || { echo "README.md: there is no $path"; status=1; }
done
exit "$status"
