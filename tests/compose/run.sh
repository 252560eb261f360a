#!/usr/bin/env bash
# run.sh SOURCE_DIR BUILD_DIR PART
# PART is up, down, faults or a script beside this one. Ends with 77, which ctest counts as skipped, where containers
# cannot be had; BUILD_DIR/containers-skipped says then why, and scripts/test repeats it at its end.
set -euo pipefail
cd "$1"
build_dir=$2 part=$3
export ONTIME_TESTBED=$build_dir/testbed
unset ONTIME_TOKEN ONTIME_TLS_DIR ONTIME_SECRETS ONTIME_MASTER ONTIME_MASTER_FLAGS ONTIME_SLOTS ONTIME_IMAGE

up() {
  local status=0 install=()
  # On a developer's machine nothing is installed behind their back.
  if [ "${CI:-}" = true ] && [ "$(id -u)" -eq 0 ]; then install=(--install); fi
  rm -f "$build_dir/containers-skipped"
  scripts/testbed up --built "$build_dir" "${install[@]}" 2>"$build_dir/testbed-complaint" || status=$?
  cat "$build_dir/testbed-complaint" >&2
  if [ "$status" -eq 3 ]; then
    { cat "$build_dir/testbed-complaint"; echo "scripts/testbed up --install as root would try."; } >"$build_dir/containers-skipped"
    exit 77
  fi
  return "$status"
}

case $part in
  up) up ;;
  down) if [ "${CI:-}" = true ]; then scripts/testbed down --images; else scripts/testbed down; fi ;;
  *)
    [ -e "$ONTIME_TESTBED/settings" ] || { echo "SKIPPED: there is no testbed"; exit 77; }
    if [ "$part" = faults ]; then exec scripts/testbed faults; fi
    environment=$(scripts/testbed env)
    eval "$environment"
    if [ "$part" = store ]; then exec bash tests/compose/store.sh "$build_dir"; fi
    exec python3 "tests/compose/$part.py"
    ;;
esac
