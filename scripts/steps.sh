# Steps that scripts/demo and scripts/test share; sourced by them after `cd` to the root of the tree.
# shellcheck shell=bash

started=$SECONDS
say() { printf '==> %s\n' "$*"; }
elapsed() {
  local seconds=$((SECONDS - started))
  printf '%d min %02d s' $((seconds / 60)) $((seconds % 60))
}

# How many compilers to run at once: one a core, but each may take 1.5 GB.
build_jobs() {
  local cores memory_kib limit jobs
  cores=$(nproc)
  memory_kib=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  if [[ $limit =~ ^[0-9]+$ ]] && [ $((limit / 1024)) -lt "$memory_kib" ]; then memory_kib=$((limit / 1024)); fi
  jobs=$((memory_kib / 1572864))
  [ "$jobs" -le "$cores" ] || jobs=$cores
  [ "$jobs" -ge 1 ] || jobs=1
  echo "$jobs"
}

# Shows on one line how far a build is, until process $2 ends: on a terminal all the time, elsewhere twice a minute.
show_progress() {
  local log=$1 pid=$2 shown="" done_of ticks=0
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    ticks=$((ticks + 1))
    done_of=$(grep -a -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1) || continue
    [ "$done_of" != "$shown" ] || continue
    if [ -t 1 ]; then
      printf '\r    %s built, %s ' "$done_of" "$(elapsed)"
    elif [ $((ticks % 150)) -eq 0 ]; then
      printf '    %s built, %s\n' "$done_of" "$(elapsed)"
    else
      continue
    fi
    shown=$done_of
  done
  if [ -t 1 ] && [ -n "$shown" ]; then printf '\r%60s\r' ''; fi
}

failed() {
  echo "$1; the end of $2:" >&2
  tail -n 40 "$2" >&2
  exit 1
}

# configure PRESET LOG [cmake argument...]
configure() {
  local preset=$1 log=$2
  shift 2
  mkdir -p "build/$preset"
  cmake --preset "$preset" "$@" >"$log" 2>&1 || failed "CMake could not configure build/$preset" "$log"
}

# `sed` reads to the end where `head` would end the sorting early, which is an error under pipefail.
# slowest_objects OLD NEW: the 20 objects whose compilation took longest among those in Ninja's log NEW and not in OLD.
slowest_objects() {
  awk -F '\t' 'FILENAME == ARGV[1] { old[$0]; next }
                !($0 in old) && $4 ~ /\.o$/ { printf "%8.1f s  %s\n", ($2 - $1) / 1000, $4 }' "$1" "$2" |
    sort -rn | sed -n 1,20p
}

# slowest_tests DIR: the 20 tests of the last run of ctest in DIR that took longest.
slowest_tests() {
  awk '/^[0-9]+\/[0-9]+ Testing: / { name = $3 }
       /^Test time = / { printf "%8.1f s  %s\n", $4, name }' "$1/Testing/Temporary/LastTest.log" | sort -rn | sed -n 1,20p
}

# said_by_failed_tests DIR: the last 40 lines of each test that failed in the last run of ctest in DIR.
said_by_failed_tests() {
  awk '/^[0-9]+\/[0-9]+ Testing: / { name = $3; count = 0 }
       { lines[count++ % 40] = $0 }
       /^Test Failed\.$/ {
         print "==> " name
         for (i = count > 40 ? count - 40 : 0; i < count; ++i) print substr(lines[i % 40], 1, 2000)
       }' "$1/Testing/Temporary/LastTest.log"
}

# build_ahead PRESET LOG: begins to build in the background, at the lowest priority, what is needed later. What needs it
# calls build() as ever, which finishes what is missing and says what is wrong. Call finish_ahead before.
ahead=""
build_ahead() {
  copy_ninja_log "$1" "build/$1/ninja-log-before"
  NINJA_STATUS='[%f/%t] ' nice -n 19 ninja -C "build/$1" -j "$(build_jobs)" all >>"$2" 2>&1 &
  ahead=$!
}
finish_ahead() {
  [ -z "$ahead" ] || wait "$ahead" || true
  ahead=""
}
end_ahead() { [ -z "$ahead" ] || kill "$ahead" 2>/dev/null || true; }

# copy_ninja_log PRESET FILE
copy_ninja_log() { if [ -e "build/$1/.ninja_log" ]; then cp "build/$1/.ninja_log" "$2"; else : >"$2"; fi; }

# build PRESET LOG [target...]: all targets when none is named. The log ends with the slowest objects.
build() {
  local preset=$1 log=$2 pid status=0 ninja_log=build/$1/.ninja_log before
  shift 2
  before=build/$preset/ninja-log-before  # there already if it was begun ahead
  [ -e "$before" ] || copy_ninja_log "$preset" "$before"
  NINJA_STATUS='[%f/%t] ' ninja -C "build/$preset" -j "$(build_jobs)" "${@:-all}" >>"$log" 2>&1 &
  pid=$!
  trap 'kill $pid 2>/dev/null; exit 130' INT TERM
  show_progress "$log" "$pid"
  wait "$pid" || status=$?
  trap - INT TERM
  [ "$status" -eq 0 ] || failed "The build in build/$preset failed" "$log"
  { echo "Slowest objects of this build:" && slowest_objects "$before" "$ninja_log"; } >>"$log"
  rm -f "$before"
}
