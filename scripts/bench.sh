#!/usr/bin/env bash
# Runs bench/NAME/run (or run.mjs) for each NAME given, or for all, one after the other.
#
#   scripts/bench.sh [NAME...]
#
# A benchmark finds the measured programs in $SPINDLE_BENCH_BIN and prints its own numbers.
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
  else echo "bench: there is no bench/$name/run" >&2; exit 1; fi
  echo "== bench/$name"
  "${command[@]}"
  ran=$((ran + 1))
done
[ "$ran" -gt 0 ] || { echo "bench: there is nothing under bench/" >&2; exit 1; }
