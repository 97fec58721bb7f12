#!/usr/bin/env bash
# Runs bench/NAME/run (or run.mjs) for each given NAME, or for all, one after another.
#
#   scripts/bench.sh [NAME...]
#
# $SPINDLE_BENCH_BIN is the folder of the measured programs. Each benchmark prints its own results.
set -euo pipefail
cd "$(dirname "$0")/.."
export SPINDLE_BENCH_BIN=$PWD/build/bench/bin SPINDLE_BIN=$PWD/build/bench/bin/spindle

shopt -s nullglob
if [ $# = 0 ]; then
  for folder in bench/*/; do set -- "$@" "$(basename "$folder")"; done
fi
ran=0
for name in "$@"; do
  if [ -x "bench/$name/run" ]; then command=("bench/$name/run")
  elif [ -f "bench/$name/run.mjs" ]; then command=(node "bench/$name/run.mjs")
  else echo "bench: bench/$name/run does not exist" >&2; exit 1; fi
  echo "== bench/$name"
  "${command[@]}"
  ran=$((ran + 1))
done
[ "$ran" -gt 0 ] || { echo "bench: bench/ contains no benchmarks" >&2; exit 1; }
