#!/usr/bin/env bash
# Runs vitest by a command, and counts its tests: bash vitest.sh COMMAND…
set -uo pipefail
report=$(mktemp -d "$WORK/vitest-XXXXXX")/report.json
"$@" --reporter=default --reporter=json --outputFile.json="$report"
status=$?
node .ci/tests/count-vitest.mjs "$report" && exit "$status"
