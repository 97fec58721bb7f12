#!/usr/bin/env bash
# Installs missing dependencies: Debian packages, and libraries from npm.
#
#   scripts/setup.sh [GROUP...]      groups: build (always), test, lint, sanitize, bench, package, package_test
#
# Prints nothing if everything is installed. Debian packages need root or sudo. After this script neither building
# nor running needs the network.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A packages=(
  [build]="g++ cmake ninja-build pkg-config ccache lld python3 git ca-certificates
           libboost1.81-dev libssl-dev libsimdjson-dev libre2-dev libjemalloc-dev libsoci-dev libsqlite3-dev libpq-dev
           libfmt-dev libcli11-dev libtomlplusplus-dev libzstd-dev zlib1g-dev
           libgtest-dev libgmock-dev libtorch-dev libopenblas0-pthread"
  [test]="clang-format-14 postgresql-15 openssl curl jq chromium"
  [lint]="clang-14 clang-tidy-14 clang-format-14 cppcheck"
  [sanitize]="clang-14 libclang-rt-14-dev lld-14 llvm-14"
  [package]="dpkg-dev"
  [package_test]="debootstrap systemd-container"
  [bench]="wrk libbenchmark-dev redis-server nginx-light chromium postgresql-15"
)
oldest_node=18

say() { echo "setup: $*" >&2; }
die() { say "$*"; exit 1; }

# Prints the required packages that dpkg does not list as installed, one per line.
missing_packages() {
  local wanted=() installed
  for group in "$@"; do read -r -d '' -a names <<<"${packages[$group]}" || true; wanted+=("${names[@]}"); done
  # A Node from another source is sufficient, and would conflict with Debian's.
  command -v node >/dev/null || wanted+=(nodejs)
  command -v npm >/dev/null || wanted+=(npm)
  installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "${wanted[@]}" 2>/dev/null |
    sed -n 's/^.i  *//p') || true
  printf '%s\n' "${wanted[@]}" | sort -u | grep -vxF "${installed:-none}" || true
}

as_root() {
  if [ "$(id -u)" = 0 ]; then env DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1 "$@"
  else sudo env DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1 "$@"; fi
}

# Runs a command with its output in the log, which is printed only if the command fails.
logged() {
  local status=0
  "$@" >>"$log" 2>&1 </dev/null || status=$?
  [ "$status" = 0 ] || tail -n 30 "$log" >&2
  return "$status"
}

install_packages() {
  local names=("$@") absent=() policy
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die "these Debian packages are missing, and installing them needs root or sudo:
  apt-get install ${names[*]}"
  fi
  say "installing Debian packages: ${names[*]}"
  local apt=(apt-get -qq -o DPkg::Lock::Timeout=600)
  logged as_root "${apt[@]}" update || say "the package lists could not be updated; continuing with the old ones"
  for name in "${names[@]}"; do
    policy=$(LC_ALL=C apt-cache policy "$name" 2>/dev/null) || true
    [[ $policy =~ Candidate:\ [^\(] ]] || absent+=("$name")
  done
  [ ${#absent[@]} = 0 ] || die "not available from this machine's package sources: ${absent[*]}
  Spindle is built on Debian 12 (bookworm); are its main, updates and security sections enabled?"

  # The tests start PostgreSQL themselves in their own folder, so no cluster and no service is needed.
  local cluster=/etc/postgresql-common/createcluster.conf
  if [[ " ${names[*]} " == *" postgresql-15 "* && ! -e $cluster ]]; then
    as_root mkdir -p "${cluster%/*}"
    echo "create_main_cluster = false" | as_root tee "$cluster" >/dev/null
  fi
  logged as_root "${apt[@]}" install -y --no-install-recommends "${names[@]}" ||
    die "apt-get could not install: ${names[*]} (see its last output above)"
}

# Prints a line that changes with the content of the files and the machine architecture.
fingerprint() { echo "$(uname -m) $(cat "$@" | sha256sum)"; }
is_current() { [ "$(cat "$1" 2>/dev/null)" = "$2" ]; }

install_native() {
  local stamp=native/prefix/.stamp current
  current=$(fingerprint native/package.json native/package-lock.json scripts/fetch_native.mjs)
  is_current $stamp "$current" && return
  say "fetching DuckDB and llama.cpp"
  node scripts/fetch_native.mjs || die "the native libraries could not be fetched"
  echo "$current" >$stamp
}

# Installs the npm packages of a folder as its lock file pins them.
install_npm_packages() {
  local folder=$1 of=$2 stamp=$1/node_modules/.stamp current
  current=$(fingerprint "$folder/package.json" "$folder/package-lock.json")
  is_current "$stamp" "$current" && return
  say "fetching the npm packages of $of"
  (cd "$folder" && logged npm ci --include=dev --ignore-scripts --no-audit --no-fund) || die "npm ci failed in $folder/"
  echo "$current" >"$stamp"
}

groups=(build)
for group in "$@"; do
  [ -n "${packages[$group]:-}" ] || die "no such group: $group (known groups: ${!packages[*]})"
  groups+=("$group")
done

command -v dpkg-query >/dev/null || die "this is not Debian. Spindle needs: $(echo ${packages[build]}) nodejs npm"
mkdir -p build
exec 9>build/.setup.lock && flock 9 # one setup at a time per checkout
log=$(mktemp) && trap 'rm -f "$log"' EXIT

mapfile -t missing < <(missing_packages "${groups[@]}")
[ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"

node_version=$(node --version)
node_major=${node_version#v} && node_major=${node_major%%.*}
[ "$node_major" -ge $oldest_node ] || die "Node $node_version is too old: $oldest_node or newer is needed"
install_native
install_npm_packages web/console "the console"
[[ ! " ${groups[*]} " =~ \ (test|bench)\  ]] || install_npm_packages tests "the tests"
