#!/usr/bin/env bash
# install_and_use.sh SOURCE_DIR BUILD_DIR COMPILER
# Installs, moves the installed tree, builds examples/application and examples/policy against it, runs them.
set -euo pipefail
source_dir=$1 build_dir=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ONTIME_APP_PATH

cmake --install "$build_dir" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/ontime"
ontime=$work/ontime/bin/ontime

echo "Manual pages and completion lie where shells and man look for them"
for file in man/man1/ontime.1 man/man1/ontime-lab.1 man/man1/ontime-master.1 man/man1/ontime-worker.1 \
  bash-completion/completions/ontime{,-master,-worker} zsh/site-functions/_ontime \
  fish/vendor_completions.d/ontime{,-master,-worker}.fish; do
  [ -s "$work/ontime/share/$file" ]
done

echo "An application of one's own is built against the installed tree"
cmake -S "$source_dir/examples/application" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/ontime" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release >"$work/configure.log"
cmake --build "$work/build" >"$work/build.log"

echo "The installed program knows its own applications, and ours when told where it is"
"$ontime" apps | grep wordcount >/dev/null
ONTIME_APP_PATH=$work/build/lib/ontime/apps "$ontime" apps | grep line_lengths >/dev/null

printf 'one\nthree\nfour\n\nno end' >"$work/input.txt"
printf '0\t2\n4\t3\n' >"$work/expected.tsv"
run() { "$ontime" run line_lengths "$work/input.txt" --output "$1" --workers 1 --splits 2 "${@:2}"; }

echo "It runs from its build directory"
run "$work/out1" --set step=4 --app-dir "$work/build/lib/ontime/apps"
"$ontime" result "$work/out1" --app-dir "$work/build/lib/ontime/apps" | diff "$work/expected.tsv" -

echo "So is a policy of one's own, which plans for it"
cmake -S "$source_dir/examples/policy" -B "$work/policy" -DCMAKE_PREFIX_PATH="$work/ontime" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release >>"$work/configure.log"
cmake --build "$work/policy" >>"$work/build.log"
own=$work/policy/lib/ontime/policies/copy_late.so
run "$work/out-own" --set step=4 --app-dir "$work/build/lib/ontime/apps" --policy "$own"
"$ontime" result "$work/out-own" --app-dir "$work/build/lib/ontime/apps" | diff "$work/expected.tsv" -
# In Python it finds the package where it is installed.
[ ! -e "$work/ontime/bin/ontime-lab" ] || "$ontime" simulate "$source_dir/examples/experiments/one-straggler.yaml" --policy "$own" \
  --policy "$source_dir/examples/policy/copy_late.py"

echo "The application runs by its name alone once it is installed beside the others"
cmake --install "$work/build" --prefix "$work/ontime" >>"$work/install.log"
run "$work/out2" --set step=4
"$ontime" result "$work/out2" | diff "$work/expected.tsv" -

echo "What is not loaded before it is needed lies where it is looked for"
waits_for() { until [ -s "$1" ]; do kill -0 "$2" || exit 1; sleep 0.05; done; }
python3 -u -m http.server --bind 127.0.0.1 --directory "$work" 0 >"$work/served" 2>/dev/null &
server=$!
"$ontime" web --master 127.0.0.1:1 --listen 127.0.0.1:0 --port-file "$work/port" >/dev/null &
pages=$!
trap 'kill $server $pages 2>/dev/null || true; rm -rf "$work"' EXIT
waits_for "$work/served" $server
waits_for "$work/port" $pages
address=http://127.0.0.1:$(sed 's/.*port \([0-9]*\).*/\1/' "$work/served")/input.txt
run_remote() { "$ontime" run line_lengths "$address" --output "$1" --workers 1 --set step=4; }
run_remote "$work/out-remote"
"$ontime" result "$work/out-remote" | diff "$work/expected.tsv" -

echo "Of what is loaded later nothing may be missing, or of another version"
library=$work/ontime/lib/ontime/libontime_network.so
refused() {
  local status=0
  timeout 60 "${@:2}" 2>"$work/refusal" || status=$?
  [ "$status" -eq 1 ] && grep -q "$1" "$work/refusal"
}
mv "$library" "$work/kept"
refused 'install or build all of Ontime' "$ontime-master" --journal "$work/journal"
refused 'install or build all of Ontime' "$ontime-worker" --master 127.0.0.1:1 --slots 1
refused 'install or build all of Ontime' "$ontime" run line_lengths "$address" --output "$work/out-remote-2"
LC_ALL=C sed -E 's/[0-9a-f]{64}/0000000000000000000000000000000000000000000000000000000000000000/' "$work/kept" >"$library"
refused 'of another version' "$ontime-master" --journal "$work/journal"
run "$work/out-local" --set step=4  # which needs none of it
mv "$work/kept" "$library"

echo "A parameter that cannot be used is refused before anything runs"
status=0
run "$work/out3" --set step=0 2>"$work/refusal" || status=$?
[ "$status" -eq 2 ]
grep -q 'step must be at least 1' "$work/refusal"
[ ! -e "$work/out3/_SUCCESS" ]
