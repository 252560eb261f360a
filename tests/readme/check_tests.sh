#!/usr/bin/env bash
# check_tests.sh SOURCE_DIR
# Every test that README.md or docs/ names exists: `Suite.Name`, or `Suite.*` and `Suite.Na...` for those that begin so.
set -euo pipefail
cd "$1"
status=0
tests=$(
  grep -rhoE '^(TEST|TEST_F|TEST_P|TYPED_TEST|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\([A-Za-z0-9]+, *[A-Za-z0-9]+' tests/ --include='*.cpp' |
    sed -E 's/^[A-Z_]+\(//; s/, */./'
  grep -rhoE 'NAME [A-Z][A-Za-z]+\.[A-Z][A-Za-z0-9]+' tests/ --include=CMakeLists.txt | sed 's/^NAME //'
)
for page in README.md docs/*.md docs/*/*.md; do
  for name in $(grep -oE '`[A-Z][A-Za-z0-9]+\.([A-Z][A-Za-z0-9]+(\.\.\.)?|\*)`' "$page" | tr -d '\140' | sort -u); do
    prefix=${name%%\**}
    prefix=${prefix%...}
    if [ "$prefix" = "$name" ]; then
      grep -qxF "$name" <<<"$tests" && continue
    else
      grep -qF "$prefix" <<<"$tests" && continue
    fi
    echo "$page: there is no test $name"
    status=1
  done
done
exit "$status"
