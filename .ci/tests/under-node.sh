#!/usr/bin/env bash
# Runs the tests that a version of Node can change, with --full all of them: bash under-node.sh VERSION [half]
# With "half", a half of their files, drawn anew each day: the version lies between two that run all of them.
set -uo pipefail
tests=()
if [[ -z $FULL ]]; then
  mapfile -t tests < <(grep '^test/' .ci/platform-tests.txt)
  if [[ ${2:-} == half ]]; then
    seed=${SAMPLE_SEED:-$(date -u +%Y%m%d)}
    echo "a sample: SAMPLE_SEED=$seed"
    mapfile -t all < <(find "${tests[@]}" -name '*.test.ts' | sort -u)
    mapfile -t tests < <(printf '%s\n' "${all[@]}" | shuf -n $((${#all[@]} / 2)) --random-source=<(yes "$seed"))
  fi
fi
# Long properties draw more under the README's command.
LONG_RUNS=${FULL:-0.1} bash .ci/tests/vitest.sh env "PATH=$ENVIRONMENTS/node$1/node_modules/node/bin:$PATH" \
  node node_modules/vitest/vitest.mjs run "${tests[@]}"
