#!/usr/bin/env bash
# Runs the tests that a version of Node can change, with --full all of them: bash under-node.sh VERSION
# Of those that take long, the files that the lane long-tests leaves to the next seed.
set -uo pipefail
files=()
if [[ -z $FULL ]]; then
  mapfile -t listed < <(grep '^test/' .ci/platform-tests.txt)
  left_to_others=$(grep '^test/' test/long-tests.txt | awk -v seed="$SAMPLE_SEED" 'NR % 2 == seed % 2')
  mapfile -t files < <(find "${listed[@]}" -name '*.test.ts' | sort -u | grep -Fxv "$left_to_others")
fi
# Long properties draw more under the README's command.
LONG_RUNS=${FULL:-0.1} bash .ci/tests/vitest.sh env "PATH=$ENVIRONMENTS/node$1/node_modules/node/bin:$PATH" \
  node node_modules/vitest/vitest.mjs run "${files[@]}"
