#!/usr/bin/env bash
# unchanged_tests.sh SOURCE_DIR COMPILER
# A tree with one test of each kind; after each change those run again that depend on what was changed, and no others.
set -euo pipefail
command -v git >/dev/null || exit 77  # without it scripts/test leaves nothing out
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree build=$work/tree/build
mkdir -p "$tree/scripts" "$tree/data"
cp "$1/scripts/unchanged-tests" "$tree/scripts/"
cd "$tree"

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(tree LANGUAGES CXX)
enable_testing()
foreach(name alone reads starts started)
  add_executable(${name} ${name}.cpp)
endforeach()
target_compile_definitions(reads PRIVATE DATA="${PROJECT_SOURCE_DIR}/data")
add_dependencies(starts started)
add_test(NAME Alone COMMAND alone)
add_test(NAME Reads COMMAND reads)
add_test(NAME Starts COMMAND starts)
add_test(NAME Script COMMAND sh ${PROJECT_SOURCE_DIR}/check.sh ${PROJECT_SOURCE_DIR})
add_test(NAME ScriptThatStarts COMMAND sh ${PROJECT_SOURCE_DIR}/check.sh $<TARGET_FILE:started>)
add_test(NAME ScriptThatSaysWhatItNeeds COMMAND sh ${PROJECT_SOURCE_DIR}/check.sh ${PROJECT_SOURCE_DIR})
set_tests_properties(ScriptThatSaysWhatItNeeds PROPERTIES REQUIRED_FILES "${PROJECT_SOURCE_DIR}/data;$<TARGET_FILE:started>")
END
for name in alone reads starts started; do echo 'int main() { return 0; }' >$name.cpp; done
echo 'exit 0' >check.sh
echo 1 >data/numbers
echo build >.gitignore
git init -q
cmake -G Ninja -B "$build" -DCMAKE_CXX_COMPILER="$2" >/dev/null

# Those that run now and pass, as ctest prints them.
ran() {
  ninja -C "$build" >/dev/null
  local numbers
  numbers=$(scripts/unchanged-tests list "$build" 2>/dev/null)
  [ -n "$numbers" ] || return 0
  { ctest --test-dir "$build" -I "$numbers" 2>&1 || true; } | sed -n 's/^.*: \([A-Za-z]*\) \.\.\.* *Passed.*/\1/p' | sort | tr '\n' ' '
  scripts/unchanged-tests record "$build"
}
expect() {
  local found
  found=$(ran)
  [ "$found" = "${2:+$2 }" ] || { echo "$1: expected '$2', ran '$found'"; exit 1; }
}

expect "the first time" "Alone Reads Script ScriptThatSaysWhatItNeeds ScriptThatStarts Starts"
expect "without a change" ""
echo "A page." >page.md
expect "a page" "Script ScriptThatStarts"
echo 2 >>data/numbers
expect "data" "Reads Script ScriptThatSaysWhatItNeeds ScriptThatStarts"
echo 'int main() { return 1 - 1 + 0 * sizeof "other bytes"; } const char* more = "more";' >alone.cpp
expect "a program" "Alone Script ScriptThatStarts"
cp alone.cpp started.cpp
expect "what another program starts" "Script ScriptThatSaysWhatItNeeds ScriptThatStarts Starts"
echo 'exit 1' >check.sh
expect "a script that fails now" ""
echo 'exit 0' >check.sh
expect "and works again" "Script ScriptThatSaysWhatItNeeds ScriptThatStarts"
