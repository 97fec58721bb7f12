#!/usr/bin/env bash
# Every check that is not a test: format, layers, coroutines, clang's thread-safety analysis, self-contained
# headers, clang-tidy, cppcheck. Runs all of them, then fails if one failed.
#
#   [ALL=1] [BASE=commit] scripts/lint.sh     clang-tidy checks the files changed since BASE, or all
#
# With ALL=1, clang-tidy reads the units of build/lint-units, which parse each header once per folder: that takes a third
# of the time.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
broken=()

step() {
  local name=$1 start=$SECONDS
  shift
  echo "-- $name"
  "$@" || broken+=("$name")
  echo "   $((SECONDS - start)) s"
}

sources() { git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
  [ ! -f "$file" ] || echo "$file"; done; }

# Prints the sources changed since the base, and the source of each changed header.
changed() {
  local base=${BASE:-$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)}
  { git diff --name-only --diff-filter=d "$base"; git ls-files --others --exclude-standard; } |
    sed -n 's/\.h$/.cpp/p; /\.cpp$/p' | sort -u | while read -r file; do
    [ ! -f "$file" ] || echo "$file"; done
}

# Writes BUILD/sources/compile_commands.json without headers alone and generated sources. Prints its files.
database() {
  python3 - "$1" <<'EOF'
import json, pathlib, sys
build = pathlib.Path(sys.argv[1])
commands = json.loads((build / "compile_commands.json").read_text())
commands = [c for c in commands if "/Unity/" in c["file"] or "/build/" not in c["file"]]
(build / "sources").mkdir(exist_ok=True)
(build / "sources/compile_commands.json").write_text(json.dumps(commands))
print("\n".join(sorted({c["file"] for c in commands})))
EOF
}

# Runs clang-tidy on the files named on standard input. Hides its count of suppressed warnings.
tidy_files() {
  xargs -r -n 1 -P "$jobs" clang-tidy-14 --quiet "$@" 2> >(grep -v 'warnings\? generated' >&2)
}

tidy() {
  local files options=(-p build/lint) checks=""
  if [ "${ALL:-}" = 1 ]; then
    files=$(database build/lint-units)
    options=(-p build/lint-units/sources '--header-filter=/src/[a-z_]+/.*\.(h|cpp)$')
    checks=-bugprone-suspicious-include  # a unit includes sources
  else
    files=$(changed | grep -E '^(src|tests)/' || true)
  fi
  [ -n "$files" ] || { echo "   nothing changed"; return; }
  # The static analyser takes minutes for GoogleTest's macros and finds nothing in them.
  local tests='_test(\.cpp|\.dir/.*)$' status=0
  { echo "$files" | grep -vE "$tests" || true; } | tidy_files "${options[@]}" "--checks=$checks" || status=1
  { echo "$files" | grep -E "$tests" || true; } | tidy_files "${options[@]}" "--checks=${checks:+$checks,}-clang-analyzer-*" || status=1
  return $status
}

check_cpp() {
  database build/lint >/dev/null
  mkdir -p build/lint/cppcheck
  cppcheck --project=build/lint/sources/compile_commands.json --cppcheck-build-dir=build/lint/cppcheck -j "$jobs" \
    --library=googletest '--suppress=*:*_test.cpp' --suppressions-list=tools/cppcheck_suppressions.txt \
    --enable=warning,performance,portability --inline-suppr --quiet --error-exitcode=1
}

step "format" tools/check_format.py
step "layers" tools/check_layers.py
step "coroutines" tools/check_coroutines.py
step "clang, thread safety" cmake --build --preset lint
step "headers compile alone" cmake --build --preset lint --target all_verify_interface_header_sets
step "clang-tidy" tidy
step "cppcheck" check_cpp

[ ${#broken[@]} = 0 ] || { echo "lint: not clean: ${broken[*]}" >&2; exit 1; }
echo "lint: clean"
