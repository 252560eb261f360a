#!/usr/bin/env bash
# run_readme.sh SOURCE_DIR BUILD_DIR
# Runs every ```sh block of README.md and of the pages below, in this order and in one shell, in a directory that looks like
# the root of the tree. The pages' commands may use what those of README.md have made.
#   <!-- not run: why -->   before a block leaves it out
#   <!-- file: PATH -->     before a block says that it shows PATH: it must be the same, to the byte
#   <!-- part of: PATH -->  the same for some lines of PATH, one after another
set -euo pipefail
source_dir=$1 build_dir=$2
pages=(README.md docs/run-jobs.md docs/replay-and-plan.md docs/research/experiments.md docs/write-applications.md docs/cluster.md)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$source_dir"
awk -v work="$work" '
  FNR == 1                 { close_page(); page = FILENAME; blocks = 0; note = "" }
  /^<!-- not run: .+ -->$/ { note = "skip"; next }
  /^<!-- file: .+ -->$/    { note = "file"; path = $3; next }
  /^<!-- part of: .+ -->$/ { note = "part"; path = $4; next }
  /^```/ && !inside        { inside = 1; kind = substr($0, 4); target = ""
                             if (note == "file" || note == "part") { target = work "/shown." ++shown; printf "" > target
                               printf "%s\n", path > (target (note == "file" ? ".path" : ".whole")) }
                             else if (kind == "sh" && note != "skip") { target = work "/commands"; ++blocks
                               printf "echo; echo \"%s, line %d\"\n", FILENAME, FNR + 1 > target }
                             note = ""; next }
  /^```/ && inside         { inside = 0; next }
  inside && target != ""   { print > target }
  !inside && NF            { note = "" }
  END                      { close_page() }
  function close_page() {
    if (page == "" || failed) return
    if (inside) print page ": a block is not closed"
    if (!blocks) print page ": no block to run"
    if (inside || !blocks) { failed = 1; exit 1 }
  }
' "${pages[@]}"

for path_file in "$work"/shown.*.path; do
  path=$(cat "$path_file")
  diff -u "$source_dir/$path" "${path_file%.path}" || { echo "README.md or a page shows another $path than there is"; exit 1; }
done

for path_file in "$work"/shown.*.whole; do
  path=$(cat "$path_file")
  python3 -c 'import sys; part, whole = (open(name).read() for name in sys.argv[1:]); sys.exit("\n" + part not in "\n" + whole)' \
    "${path_file%.whole}" "$source_dir/$path" || { echo "README.md or a page shows lines that $path does not have"; exit 1; }
done

unset ONTIME_MASTER ONTIME_TOKEN ONTIME_APP_PATH
run_commands() {
  rm -rf "$work/tree"
  mkdir -p "$work/tree/build"
  ln -s "$source_dir/examples" "$source_dir/README.md" "$work/tree/"
  ln -s "$build_dir" "$work/tree/build/release"
  cd "$work/tree"
  setsid --wait timeout --kill-after=5 240 bash -euo pipefail -c '
    trap "jobs -p | xargs -r kill 2>/dev/null; wait" EXIT
    set -x
    . ../commands'
}

# Some commands show that a job makes its deadline. A machine that does other work may miss it (3), but not every time.
for _ in 1 2 3; do
  status=0
  run_commands || status=$?
  [ "$status" -eq 3 ] || break
done
if [ "$status" -ne 0 ]; then
  tail -n 20 "$work"/tree/*.log || true
  echo "A command of README.md or a page failed with $status: the last one shown above."
fi
exit "$status"
