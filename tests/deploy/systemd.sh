#!/usr/bin/env bash
# systemd.sh SOURCE_DIR BUILD_DIR
# packaging/systemd as systemd reads it, with the programs of this build; and the configuration files as the programs read
# them. Skipped (77) without systemd-analyze.
set -euo pipefail
source_dir=$1 build_dir=$2
command -v systemd-analyze >/dev/null || { echo "SKIPPED: there is no systemd-analyze"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

for unit in "$source_dir"/packaging/systemd/*.service; do
  sed -E "s#^(ExecStart(Pre)?)=#\\1=$build_dir/bin/#" "$unit" >"$work/$(basename "$unit")"
  said=$(systemd-analyze verify --man=no "$work/$(basename "$unit")" 2>&1) || status=1
  said=$(grep -F "$(basename "$unit")" <<<"$said" || true)  # not about what else this machine has
  [ -z "$said" ] || { echo "$said"; status=1; }
done

"$build_dir/bin/ontime" certs cluster --dir "$work/certs" --host master.example >/dev/null
for program in master worker; do
  ONTIME_TLS_DIR=$work/certs/$program "$build_dir/bin/ontime-$program" --check-config \
    --config "$source_dir/packaging/systemd/$program.conf" || status=1
  # Every flag that a line shows is one.
  sed -nE 's/^#?([a-z-]+)=.*/\1/p' "$source_dir/packaging/systemd/$program.conf" | while read -r flag; do
    "$build_dir/bin/ontime-$program" --help | grep -- "--$flag" >/dev/null || { echo "$program.conf: there is no --$flag"; exit 1; }
  done || status=1
done
[ "$status" -ne 0 ] || echo "Three units and two configuration files are right."
exit "$status"
