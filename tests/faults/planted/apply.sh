#!/bin/sh
# apply.sh SOURCE TARGET FILE...: copies of these files with all planted errors in them, see planted.h.
set -eu
patches=$(dirname "$0")
source=$1
target=$2
shift 2
for file; do
  mkdir -p "$target/$(dirname "$file")"
  cp "$source/$file" "$target/$file"
done
for patch in "$patches"/*.patch; do
  patch --quiet --fuzz=0 --no-backup-if-mismatch -p1 -d "$target" <"$patch" || {
    echo "$patch does not apply any more; make it anew: it has to plant what its first line says" >&2
    exit 1
  }
done
