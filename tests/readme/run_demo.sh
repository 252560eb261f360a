#!/usr/bin/env bash
# run_demo.sh SOURCE_DIR BUILD_DIR
# scripts/demo with programs that are built: it ends well, and its top words are those that coreutils count.
set -euo pipefail
source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
ln -s "$source_dir/examples" "$work/tree/"
cp -r "$source_dir/scripts" "$work/tree/"

"$work/tree/scripts/demo" --built "$build_dir" | tee "$work/shown"

cat "$source_dir"/examples/text/* | LC_ALL=C tr -s ' \t\n\v\f\r' '\n' | LC_ALL=C sort | uniq -c |
  LC_ALL=C sort -k1,1nr -k2,2 | awk 'NR <= 10 {print $2 "\t" $1}' >"$work/expected.tsv"
while IFS= read -r line; do
  grep -qxF -- "$line" "$work/shown" || { printf 'not in the output of scripts/demo: %s\n' "$line"; exit 1; }
done <"$work/expected.tsv"
