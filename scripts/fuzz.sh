#!/usr/bin/env bash
# Runs every fuzz target of the fuzz build, one after another, and fails on any finding.
#
#   scripts/fuzz.sh [SECONDS_EACH [NAME]]
#
# fuzz/seeds/NAME contains the initial inputs. build/fuzz/corpus/NAME grows from run to run. A finding is stored as
# build/fuzz/findings/NAME-*; pass it to the program as its only argument to reproduce it.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
only=${2:-*}
max_length=65536
symbolizer=$(command -v llvm-symbolizer-14 || true)
export ASAN_SYMBOLIZER_PATH=$symbolizer
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}

shopt -s nullglob
targets=(build/fuzz/bin/fuzz_$only)
[ ${#targets[@]} -gt 0 ] || { echo "fuzz: no program build/fuzz/bin/fuzz_$only" >&2; exit 1; }
mkdir -p build/fuzz/findings
broken=()
for target in "${targets[@]}"; do
  name=${target##*/fuzz_}
  corpus=(build/fuzz/corpus/"$name")
  mkdir -p "${corpus[0]}"
  [ ! -d fuzz/seeds/"$name" ] || corpus+=(fuzz/seeds/"$name")
  log=build/fuzz/$name.log
  # DuckDB allocates from pools in which LeakSanitizer finds no pointers.
  leaks=1
  [ "$name" != query ] || leaks=0
  if ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=$leaks} "$target" -max_total_time="$seconds" -max_len=$max_length -timeout=10 -rss_limit_mb=3072 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$name-" "${corpus[@]}" >"$log" 2>&1; then
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf '    ok  %-20s %s inputs in %s s\n' "$name" "$runs" "$seconds"
  else
    printf '  FAIL  %s (complete log: %s)\n' "$name" "$log"
    tail -n 60 "$log"
    broken+=("$name")
  fi
done
[ ${#broken[@]} = 0 ] || { echo "fuzz: findings in ${broken[*]}" >&2; exit 1; }
