#!/usr/bin/env bash
# smoke.sh DIRECTORY: the yardsticks agree with coreutils and with each other on a little text, and bench_kernels runs.
set -euo pipefail
export LC_ALL=C
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$bin/generate_text" 300000 7 >"$work/plain.txt"
"$bin/generate_text" 300000 7 --keys >"$work/keyed.txt"

tr -s ' ' '\n' <"$work/plain.txt" | sort | uniq -c | awk '{ print $2 "\t" $1 }' >"$work/expected"
for threads in 1 2 3; do
  "$bin/yardstick_wordcount" "$work/plain.txt" $threads --print 2>/dev/null | sort | diff "$work/expected" -
done
words=$(awk '{ sum += $2 } END { print sum }' "$work/expected")
[ "$("$bin/naive_wordcount" "$work/plain.txt" 2>/dev/null)" = "words $words" ]
"$bin/yardstick_wordmean" "$work/plain.txt" 2>/dev/null | grep -x "count	$words" >/dev/null
[ "$("$bin/yardstick_termvector" "$work/keyed.txt" --print 2>/dev/null | wc -l)" = "$(wc -l <"$work/keyed.txt")" ]

seq 20000 | awk '{ printf "station%d;%s%d.%d\n", $1 % 700, $1 % 3 ? "" : "-", $1 * 7 % 100, $1 % 10 }' >"$work/rows.txt"
awk -F '[;.]' '{ n[$1]++; s[$1] += $2 < 0 || $2 == "-0" ? 10 * $2 - $3 : 10 * $2 + $3 }
  END { for (k in n) printf "%s\t%d\t%.1f\n", k, n[k], s[k] / 10 }' "$work/rows.txt" | sort >"$work/expected"
for threads in 1 2 3; do
  "$bin/yardstick_aggregate" "$work/rows.txt" $threads --print 2>/dev/null | cut -f 1,2,4 | sort | diff "$work/expected" -
done

"$bin/bench_kernels" "$work/plain.txt" "$work/keyed.txt" "$work/rows.txt" 1
