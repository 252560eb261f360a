#!/usr/bin/env bash
# run_and_simulate.sh SOURCE_DIR BUILD_DIR POLICIES
# The shared objects in POLICIES, and files of Python, plan in simulations and for jobs of real processes; those that
# misbehave do no harm.
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

echo "In Python it decides the same, whatever it names, and the program names one that fails"
late=$source_dir/examples/policy/copy_late.py unruly=$source_dir/tests/own_policy/unruly.py
"$ontime" simulate "$source_dir/examples/experiments/one-straggler.yaml" --policy "$policies/copy_late.so:period=200ms,copies=2" \
  --policy "$late:period=200ms,copies=2" --policy "$unruly:how=raises" --runs 5 --json >"$work/both.json" 2>"$work/told"
python3 - "$work/both.json" <<'PY'
import json, sys
one, other, _ = json.load(open(sys.argv[1]))["policies"]
one.pop("policy"), other.pop("policy")
assert one == other and one["attempts_per_task"] > 1, (one, other)
PY
[ "$(cat "$work/told")" = "The policy $unruly is not asked any more: it raises RuntimeError: out of temper (line 29)." ]

run() { (cd "$policies" && "$ontime" run wordcount "$source_dir/examples/text" --workers 4 --splits 4 --inject pace=500ms "$@"); }

echo "It plans for a job of real processes, under a path from where the job was submitted"
run --output "$work/copied" --policy ./copy_late.so:copies=1 --json >"$work/copied.json"
python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["policy"] == sys.argv[2]' "$work/copied.json" "$policies/copy_late.so"
"$ontime" verify "$work/copied" >"$work/verified"

echo "One in Python does too, and a recorded job is simulated under both"
run --output "$work/python" --policy "$late:copies=1" --record "$work/run.otr" --json >"$work/python.json"
python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["policy"] == sys.argv[2]' "$work/python.json" "$late"
"$ontime" verify "$work/python" >"$work/verified"
"$ontime" replay --recording "$work/run.otr" --policy "$late" --policy "$policies/copy_late.so" --runs 4 --json >"$work/replayed.json"
python3 - "$work/replayed.json" <<'PY'
import json, sys
one, other = json.load(open(sys.argv[1]))["policies"]
one.pop("policy"), other.pop("policy")
assert one == other, (one, other)
PY

echo "Both plan for the jobs of an experiment on this machine"
sed "s|^policies:.*|policies: [$policies/copy_late.so, '$late:period=500ms']|; s/count: 20/count: 10/; s/count: 3, /count: 2, /" \
  "$source_dir/examples/experiments/one-straggler.yaml" >"$work/both.yaml"
# Where Python has no pandas, only the tables are not made.
"$ontime" experiment "$work/both.yaml" --on local --output "$work/experiment" --quiet >"$work/table" 2>&1 || grep pandas "$work/table"
python3 - "$work/experiment/jobs.csv" <<'PY'
import collections, csv, sys
jobs = [job for job in csv.DictReader(open(sys.argv[1])) if job["kind"] == "counted"]
copies = collections.Counter()
for job in jobs:
    assert job["state"] == "succeeded", job
    copies[job["policy"].split("/")[-1]] += int(job["copies"])
assert len(jobs) == 4 and min(copies.values()) > 0 and len(copies) == 2, (jobs, copies)
PY

echo "One that throws is answered by a sentence, and its job is done"
run --output "$work/thrown" --policy ./unruly.so:how=throws --explain >"$work/thrown.txt" 2>&1
grep 'unruly.so is not asked any more: it throws: out of temper' "$work/thrown.txt"
diff <("$ontime" result "$work/copied") <("$ontime" result "$work/thrown")
run --output "$work/died" --policy "$unruly:how=dies" --explain >"$work/died.txt" 2>&1
grep 'unruly.py is not asked any more: its process has ended with exit code 0' "$work/died.txt"
diff <("$ontime" result "$work/copied") <("$ontime" result "$work/died")

echo "One that never returns ends a simulation, and the next master of a job does without it"
"$ontime" simulate "$source_dir/examples/experiments/one-straggler.yaml" --policy "$policies/unruly.so:how=hangs,budget=1s" 2>"$work/stuck" &
simulation=$!
run --output "$work/left" --policy ./unruly.so:how=hangs --explain >"$work/left.txt" 2>&1
grep 'unruly.so is not asked any more: it did not return to the master before' "$work/left.txt"
diff <("$ontime" result "$work/copied") <("$ontime" result "$work/left")
status=0
wait $simulation || status=$?
[ "$status" -eq 2 ]
grep '^ontime: The policy .*unruly.so has not answered for 10.00 s, and this program ends' "$work/stuck"

echo "One that cannot be loaded is refused before anything runs"
status=0
run --output "$work/refused" --policy ./outdated.so 2>"$work/refusal" || status=$?
[ "$status" -eq 2 ]
grep 'outdated.so was built for interface' "$work/refusal"
[ ! -e "$work/refused" ]

echo "A program that is killed leaves none behind that hangs"
"$ontime" simulate "$source_dir/examples/experiments/one-straggler.yaml" --policy "$unruly:how=hangs,mark=$work/pid" >"$work/hung" &
simulation=$!
until [ -s "$work/pid" ]; do kill -0 $simulation && sleep 0.05; done
kill -9 $simulation
wait $simulation || true
while grep '^State:[^Z]*$' "/proc/$(cat "$work/pid")/status" >"$work/state" 2>"$work/gone"; do sleep 0.05; done
