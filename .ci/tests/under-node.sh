#!/usr/bin/env bash
# Runs the tests that a version of Node can change, with --full all of them: bash under-node.sh VERSION
# Of those that take long, a half of the files, drawn by the seed.
set -uo pipefail
tests=()
if [[ -z $FULL ]]; then
  mapfile -t tests < <(grep '^test/' .ci/platform-tests.txt)
  mapfile -t all < <(find "${tests[@]}" -name '*.test.ts' | sort -u)
  mapfile -t long < <(printf '%s\n' "${all[@]}" | grep -Fxf test/long-tests.txt)
  mapfile -t left_out < <(printf '%s\n' "${long[@]}" | shuf -n $((${#long[@]} / 2)) --random-source=<(yes "$SAMPLE_SEED"))
  mapfile -t tests < <(printf '%s\n' "${all[@]}" | grep -Fxvf <(printf '%s\n' "${left_out[@]}"))
fi
# Long properties draw more under the README's command.
LONG_RUNS=${FULL:-0.1} bash .ci/tests/vitest.sh env "PATH=$ENVIRONMENTS/node$1/node_modules/node/bin:$PATH" \
  node node_modules/vitest/vitest.mjs run "${tests[@]}"
