#!/usr/bin/env bash
# Runs the tests of many machines: the contracts of the stores on ClickHouse, tests/scale, black-box and SDK tests with
# three nodes on PostgreSQL, ClickHouse and S3, and kills under load. PRESET=dev tests another build; arguments select
# parts: contracts, scale, black-box, sdk, kills (with --rounds and --seed). SPINDLE_TEST_CLICKHOUSE and SPINDLE_TEST_S3
# name servers to use instead of those from PyPI (tests/scale/support).
set -euo pipefail
cd "$(dirname "$0")/.."
exec node tests/scale/run.mjs "${PRESET:-release}" "$@"
