#!/usr/bin/env bash
# interrupted.sh ONTIME SOURCE_DIR: a study that is ended by SIGTERM, SIGINT or SIGKILL leaves its runs; the same
# command goes on to the results that it would have had. What waits here waits for files.
set -euo pipefail
set -m  # or SIGINT would be ignored by what runs in the background
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
study() { # COUNT SEEDS
  cat <<END
nodes: [{count: 12}]
jobs: [{name: words, count: $1, tasks: 4, arrivals: {load: 0.4}, duration: {pareto: [10s, 1.5]}, deadline: 30s}]
study: {title: Small, seeds: $2, policies: {None: none, Ours: split-resume, Other: hadoop}, measures: [pocd, machine_time]}
END
}
study 60 20 >small.yaml
lines() { if [ -e "$1" ]; then wc -l <"$1"; else echo 0; fi; }
fail() {
  echo "$1"
  cat err
  exit 1
}

"$1" simulate small.yaml --output whole >/dev/null
for signal in TERM INT KILL; do
  before=$(lines cut/rows/small.jsonl)
  status=0
  "$1" simulate small.yaml --output cut --threads 1 >out 2>err &
  pid=$!
  until [ "$(lines cut/rows/small.jsonl)" -gt $((before + 5)) ]; do kill -0 $pid || fail "ended early"; done
  kill -$signal $pid
  wait $pid || status=$?
  [ $signal = KILL ] && continue
  [ $status -eq 130 ] || fail "status $status"
  grep -q 'the same command goes on' err || fail "it does not say that it can go on"
  [ "$(lines cut/rows/small-runs.csv)" -gt 5 ] || fail "no rows"
  [ ! -e cut/small.md ] || fail "a page of a part"
done
"$1" simulate small.yaml --output cut >/dev/null
for file in small.csv small.md rows/small-runs.csv rows/small-jobs.csv; do cmp whole/$file cut/$file; done
[ "$(lines cut/rows/small-jobs.csv)" -eq $((60 * 20 * 3 + 1)) ] || fail "not a row per job and run"

# Policies one after the other, and more seeds, take nothing twice.
"$1" simulate small.yaml --output parts --only Ours --only None >/dev/null
had=$(lines parts/rows/small.jsonl)
"$1" simulate small.yaml --output parts >/dev/null
[ "$(lines parts/rows/small.jsonl)" -eq $((had + 20)) ] || fail "runs were done again"
cmp whole/small.csv parts/small.csv
status=0
"$1" simulate small.yaml --output parts --only Hers,None >out 2>err || status=$?
[ $status -eq 2 ] && grep -q "no policy 'Hers'" err || fail "an unknown policy"
study 61 20 >small.yaml
status=0
"$1" simulate small.yaml --output parts >out 2>err || status=$?
[ $status -eq 2 ] && grep -q 'another study' err || fail "another study was not refused"

# In the middle of a run that would take hours.
study 10000000 1 >long.yaml
status=0
"$1" simulate long.yaml --output long >out 2>err &
pid=$!
until [ -s long/rows/long.jsonl ]; do kill -0 $pid; done
kill -TERM $pid
wait $pid || status=$?
[ $status -eq 130 ] || fail "status $status of the long one"
