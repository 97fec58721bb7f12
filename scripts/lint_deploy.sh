#!/usr/bin/env bash
# Checks the files of deploy/ with the linters of their formats, in a virtual environment below build/. Runs all of them,
# then fails if one failed. promtool, kube-score, haproxy and systemd-analyze are used if they are installed:
#
#   go install github.com/zegl/kube-score/cmd/kube-score@v1.20.0       (kube-score)
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

# Prints the manifests for kubectl; kustomize itself reads kustomization.yaml.
manifests() { find deploy/kubernetes -name '*.yaml' ! -name kustomization.yaml | sort; }

kubernetes_schemas() { manifests | xargs -n 1 "$venv/bin/kubernetes-validate" --strict --quiet; }

# Images have fixed tags, so nodes may keep them.
kubernetes_practices() {
  manifests | grep -v example | xargs kube-score score --ignore-test container-image-pull-policy --output-format ci \
    >"$venv/kube-score" || { grep -E '^\[(CRITICAL|WARNING)\]' "$venv/kube-score"; return 1; }
}

# Checks the configuration with addresses in place of the names that only the network of compose.yaml knows.
balancer() {
  sed 's/ node\([12]\):8080/ 127.0.0.\1:8080/' deploy/compose/haproxy.cfg >"$venv/haproxy.cfg"
  haproxy -c -q -f "$venv/haproxy.cfg"
}

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

xml() { python3 -c 'import sys, xml.etree.ElementTree as xml; [xml.parse(file) for file in sys.argv[1:]]' "$@"; }

step "yamllint" "$venv/bin/yamllint" --strict --config-file deploy/yamllint.yaml deploy
step "hadolint" "$venv/bin/hadolint" deploy/container/Containerfile
step "shellcheck" "$venv/bin/shellcheck" deploy/compose/make_env.sh deploy/package/debian/*/p* scripts/lint_deploy.sh
step "compose schema" "$venv/bin/check-jsonschema" --quiet --builtin-schema vendor.compose-spec deploy/compose/compose.yaml
step "ClickHouse settings" xml deploy/compose/clickhouse/*.xml
step "Kubernetes schemas" kubernetes_schemas
step_if_installed kube-score "Kubernetes practices" kubernetes_practices
step "PromQL" "$venv/bin/python" scripts/lint_promql.py
step_if_installed promtool "Prometheus rules" promtool check rules --lint=all --lint-fatal deploy/monitoring/alerts.yaml
step_if_installed haproxy "balancer" balancer
step_if_installed systemd-analyze "systemd units" units

[ ${#skipped[@]} = 0 ] || echo "lint-deploy: not installed, skipped: ${skipped[*]}"
[ ${#broken[@]} = 0 ] || { echo "lint-deploy: not clean: ${broken[*]}" >&2; exit 1; }
echo "lint-deploy: clean"
