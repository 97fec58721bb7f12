#!/usr/bin/env bash
# Checks the files of deploy/ with the linters of their formats, in a virtual environment below build/. Runs all of them,
# then fails if one failed. promtool and systemd-analyze are used if they are installed.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly venv=build/lint-deploy
readonly wanted=deploy/lint_requirements.txt
broken=()
skipped=()

step() {
  local name=$1
  shift
  echo "-- $name"
  "$@" || broken+=("$name")
}

# Runs a step if a program is installed.
step_if_installed() {
  local program=$1
  shift
  if command -v "$program" >/dev/null; then step "$@"; else skipped+=("$program"); fi
}

if ! cmp -s "$wanted" "$venv/installed.txt"; then
  echo "installing $(tr '\n' ' ' <"$wanted")into $venv"
  rm -rf "$venv"
  python3 -m venv "$venv" || { echo "Python's venv is missing: apt-get install python3-venv" >&2; exit 1; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
  cp "$wanted" "$venv/installed.txt"
fi

# Replaces the programs, which are not installed here.
units() {
  local folder status=0
  folder=$(mktemp -d)
  for unit in deploy/systemd/*.service; do
    sed -E 's#^ExecStart=/usr/bin/[a-z-]+#ExecStart=/bin/true#' "$unit" >"$folder/${unit##*/}"
    systemd-analyze verify --man=no "$folder/${unit##*/}" || status=1
    systemd-analyze security --offline=yes --threshold=25 --no-pager "$folder/${unit##*/}" >"$folder/report" ||
      { cat "$folder/report"; status=1; }
  done
  rm -rf "$folder"
  return $status
}

step "yamllint" "$venv/bin/yamllint" --strict --config-file deploy/yamllint.yaml deploy
step "hadolint" "$venv/bin/hadolint" deploy/container/Containerfile
step "shellcheck" "$venv/bin/shellcheck" deploy/package/debian/*/p* scripts/lint_deploy.sh
step_if_installed promtool "Prometheus rules" promtool check rules --lint=all --lint-fatal deploy/monitoring/alerts.yaml
step_if_installed systemd-analyze "systemd units" units

[ ${#skipped[@]} = 0 ] || echo "lint-deploy: not installed, skipped: ${skipped[*]}"
[ ${#broken[@]} = 0 ] || { echo "lint-deploy: not clean: ${broken[*]}" >&2; exit 1; }
echo "lint-deploy: clean"
