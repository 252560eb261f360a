#!/usr/bin/env bash
# run_and_simulate.sh SOURCE_DIR BUILD_DIR POLICIES
# The shared objects in POLICIES plan in a simulation, and for jobs of real processes; those that misbehave do no harm.
set -euo pipefail
source_dir=$1 policies=$3
ontime=$2/bin/ontime
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "One that copies what is late keeps more deadlines of simulated jobs than none does"
"$ontime" simulate "$source_dir/examples/experiments/one-straggler.yaml" --policy none --policy "$policies/copy_late.so:period=500ms" \
  --runs 20 --json >"$work/simulated.json"
python3 - "$work/simulated.json" <<'PY'
import json, sys
none, own = json.load(open(sys.argv[1]))["policies"]
assert own["pocd"] > none["pocd"] + 0.1, (none["pocd"], own["pocd"])
PY

run() { (cd "$policies" && "$ontime" run wordcount "$source_dir/examples/text" --workers 4 --splits 4 --inject pace=500ms "$@"); }

echo "It plans for a job of real processes, under a path from where the job was submitted"
run --output "$work/copied" --policy ./copy_late.so:copies=1 --json >"$work/copied.json"
python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["policy"] == sys.argv[2]' "$work/copied.json" "$policies/copy_late.so"
"$ontime" verify "$work/copied" >"$work/verified"

echo "One that throws is answered by a sentence, and its job is done"
run --output "$work/thrown" --policy ./unruly.so:how=throws --explain >"$work/thrown.txt" 2>&1
grep 'unruly.so is not asked any more: it throws: out of temper' "$work/thrown.txt"
diff <("$ontime" result "$work/copied") <("$ontime" result "$work/thrown")

echo "One that cannot be loaded is refused before anything runs"
status=0
run --output "$work/refused" --policy ./outdated.so 2>"$work/refusal" || status=$?
[ "$status" -eq 2 ]
grep 'outdated.so was built for interface' "$work/refusal"
[ ! -e "$work/refused" ]
