#!/usr/bin/env bash
# Runs tests/python with the real Python SDK, in a virtual environment under build/. Arguments go to
# unittest: -k TracedOps chooses.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly venv=build/python
readonly wanted=tests/python/requirements.txt

if ! cmp -s "$wanted" "$venv/installed.txt"; then
  echo "installing $(tr '\n' ' ' <"$wanted")into $venv"
  rm -rf "$venv"
  python3 -m venv "$venv" || { echo "Python's venv is missing: apt-get install python3-venv" >&2; exit 1; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
  cp "$wanted" "$venv/installed.txt"
fi
# The SDK leaves its connections open at the end.
exec "$venv/bin/python" -W ignore::ResourceWarning -m unittest discover --start-directory tests/python "$@"
