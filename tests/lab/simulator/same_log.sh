#!/usr/bin/env bash
# The event log of a simulation does not depend on which variant of its mathematical functions the C library chooses for
# the processor: with and without fused multiply-add (other last bits) it is the same, byte for byte.
#   same_log.sh ONTIME ONTIME_LAB
set -euo pipefail
ontime=$1
lab=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat > scenario.yaml <<'END'
nodes:
  - {count: 30, slots: 1, slowness: {lognormal: [1, 0.3]}}
node_correlation: 0.3
outages:
  - {node: 3, at: 20, lasts: 60}
  - {node: 5, at: 30, lasts: 60, kind: partition}
jobs:
  - {count: 40, tasks: 10, arrivals: {load: 0.5}, duration: {pareto: [10s, 1.5]}, deadline: 30s}
END
other_processor=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX2_Usable,-FMA_Usable
policies=$("$ontime" policies | cut -d' ' -f1)
[ "$(wc -w <<< "$policies")" -ge 16 ] || { echo "these cannot be all policies: $policies"; exit 1; }
for policy in $policies; do
  rm -f here there
  "$lab" simulate scenario.yaml --policy "$policy" --seed 5 --event-log here > /dev/null
  GLIBC_TUNABLES=$other_processor "$lab" simulate scenario.yaml --policy "$policy" --seed 5 --event-log there > /dev/null
  [ "$(wc -l < here)" -gt 1000 ] || { echo "$policy: the log is too short"; exit 1; }
  cmp here there || { echo "$policy: the logs differ"; exit 1; }
done
echo "the logs are the same"
