#!/usr/bin/env bash
# slurm.sh SOURCE_DIR BUILD_DIR [walls]
# docker/slurm/ontime.sbatch on a Slurm of our own, all of it on this machine and in a directory that is removed: four
# workers register, a job's answer is whole, scancel ends everything. Then docker/slurm/follow has as many workers as are
# wanted. With `walls`, by hand, for it takes ten minutes: instead, allocations of two minutes until three jobs are done.
# Skipped (77) without root or Debian's slurmctld, slurmd, slurm-client and munge.
set -euo pipefail
source_dir=$(realpath "$1") build_dir=$(realpath "$2") part=${3:-}
PATH=$build_dir/bin:$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd munged sbatch; do
  command -v "$program" >/dev/null || { echo "SKIPPED: there is no $program"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "SKIPPED: only root can run Slurm's daemons"; exit 77; }

work=$(mktemp -d)
pids=()
clean_up() {
  scancel --user=root 2>/dev/null || true
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do kill "${pids[i]}" 2>/dev/null && wait "${pids[i]}" || true; done
  rm -rf "$work"
}
trap clean_up EXIT
eventually() {  # eventually WHAT COMMAND...: within two minutes
  local what=$1
  shift
  for ((tries = 0; tries < 1200; tries++)); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  echo "not within two minutes: $what"
  tail -n 20 "$work"/*.log "$work"/slurm-*.out 2>/dev/null || true
  exit 1
}

chmod 755 "$work"
mkdir -p "$work/state" "$work/spool" "$work/munge"
head -c 128 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
munged --foreground --force --key-file "$work/munge/key" --socket "$work/munge/socket" --pid-file "$work/munge/pid" \
  --log-file "$work/munge.log" --seed-file "$work/munge/seed" &
pids+=($!)

host=$(hostname -s)
export SLURM_CONF=$work/slurm.conf
cat >"$SLURM_CONF" <<CONF
ClusterName=ontime
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
eventually "munge's socket" test -S "$work/munge/socket"
slurmctld -D >"$work/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D >"$work/slurmd.log" 2>&1 &
pids+=($!)
idle() { sinfo -h -o %t | grep -x idle >/dev/null; }
eventually "the node is idle" idle

export ONTIME_DIR=$work/shared ONTIME_PORT=17400
mkdir "$ONTIME_DIR"
cp "$source_dir/examples/text/austen_persuasion.txt" "$ONTIME_DIR"
count_words() { LC_ALL=C tr -s ' \t\n\v\f\r' '\n' <"$1" | grep . | LC_ALL=C sort | uniq -c | awk '{print $2 "\t" $1}' | LC_ALL=C sort; }

# The whole allocation, with its master, dies every two minutes of Slurm's clock, and is submitted again.
walls() {
  local text=$work/shared/text names=(6m 9m 12m) states="" allocations name
  for ((copy = 0; copy < 10; copy++)); do cat "$ONTIME_DIR/austen_persuasion.txt"; done >"$text"
  export ONTIME_MASTER ONTIME_TLS_DIR=$ONTIME_DIR/certs/admin ONTIME_APP_PATH=$build_dir/tests/system_apps
  for ((allocations = 1; allocations <= 20; allocations++)); do
    (cd "$work" && sbatch --quiet --time=2 --array=0-4 "$source_dir/docker/slurm/ontime.sbatch")
    eventually "the master's address" test -s "$ONTIME_DIR/master"
    ONTIME_MASTER=$(cat "$ONTIME_DIR/master")
    [ "$allocations" -gt 1 ] || for name in "${names[@]}"; do
      ontime submit paced "$text" --output "$work/shared/$name" --splits 16 --deadline "$name" --checkpoint 5s \
        --set lines=10 --set pause_us=80000 --quiet
    done
    while [ -n "$(squeue -h)" ]; do
      ontime jobs --account --json >"$work/new" 2>/dev/null && mv "$work/new" "$work/jobs"
      sleep 1
    done
    states=$(python3 -c 'import json, sys; print(*(job["state"] for job in json.load(sys.stdin)["jobs"]))' <"$work/jobs")
    echo "allocation $allocations: $states"
    [ "$states" != "succeeded succeeded succeeded" ] || break
  done
  for name in "${names[@]}"; do
    ontime verify "$work/shared/$name"
    ontime result "$work/shared/$name" | LC_ALL=C sort | cmp - <(count_words "$text")
  done
  python3 -c 'import json, sys
all = json.load(sys.stdin)
lost = sum(each["account"]["bytes"]["dropped"] for each in all["accounts"].values())
print(lost, "B were mapped for nothing;", sum(job["deadline_met"] for job in all["jobs"]), "of 3 deadlines were met")
sys.exit(lost > int(sys.argv[1]) * 8 * 7 * 7000)  # seven seconds of eight slots for each end, 7 kB/s each
' "$allocations" <"$work/jobs"
}
if [ "$part" = walls ]; then
  walls
  exit
fi

job=$(cd "$work" && sbatch --parsable --array=0-4 "$source_dir/docker/slurm/ontime.sbatch")
eventually "the master's address" test -s "$ONTIME_DIR/master"
export ONTIME_MASTER ONTIME_TLS_DIR=$ONTIME_DIR/certs/admin
ONTIME_MASTER=$(cat "$ONTIME_DIR/master")
four_live() { [ "$(ontime nodes | grep -cw live)" -eq 4 ]; }
eventually "four workers" four_live
ontime nodes

ontime submit wordcount "$ONTIME_DIR/austen_persuasion.txt" --output "$ONTIME_DIR/counts" --splits 12 \
  --wait --quiet
ontime verify "$ONTIME_DIR/counts"
ontime result "$ONTIME_DIR/counts" | LC_ALL=C sort >"$work/answer"
count_words "$ONTIME_DIR/austen_persuasion.txt" | cmp - "$work/answer"

scancel "$job"
none_left() { [ -z "$(squeue -h 2>/dev/null)" ] && ! ontime nodes; }
eventually "scancel ends all of it" none_left
echo "A job array of five: a master, four workers, an exact answer, and nothing left."

# Of a master alone the follower makes a cluster as large as a deadline needs, and smaller again.
export ONTIME_WORKER_CPUS=1 ONTIME_FOLLOW_EVERY=0.5 ONTIME_WORKERS_MOST=6
job=$(cd "$work" && sbatch --parsable --array=0 "$source_dir/docker/slurm/ontime.sbatch")
(cd "$work" && exec "$source_dir/docker/slurm/follow" "$job") >"$work/follow.log" 2>&1 &
pids+=($!)
follower=$!
address=$ONTIME_DIR/.job-$job/master
eventually "the second master's address" test -s "$address"
ONTIME_MASTER=$(cat "$address")
live() { ontime nodes | grep -cw live || true; }
one_live() { [ "$(live)" -eq 1 ]; }
several_live() { [ "$(live)" -ge 2 ]; }
eventually "a worker before there is a job" one_live
urgent=$(ontime submit exec "$ONTIME_DIR/austen_persuasion.txt" --output "$ONTIME_DIR/urgent" --splits 5 --deadline 5m \
  --set command="sleep 1000" --policy shed+:t_min=100s,beta=50 --quiet)
eventually "more workers than the one that would be late" several_live
ontime nodes --json | grep slots_wanted
ontime kill "$urgent"
eventually "one worker is enough again" one_live
ontime submit wordcount "$ONTIME_DIR/austen_persuasion.txt" --output "$ONTIME_DIR/again" --wait --quiet
cmp <(ontime result "$ONTIME_DIR/again" | LC_ALL=C sort) <(ontime result "$ONTIME_DIR/counts" | LC_ALL=C sort)
scancel "$job"
wait "$follower" || true
eventually "the follower has ended its workers" none_left
echo "A master that is followed: workers came for a deadline, left after it, and ended with the master."
