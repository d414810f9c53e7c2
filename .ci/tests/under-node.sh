#!/usr/bin/env bash
# Runs the tests that a version of Node can change, with --full all of them: bash under-node.sh VERSION
set -uo pipefail
tests=()
[[ -n $FULL ]] || mapfile -t tests < <(grep '^test/' .ci/platform-tests.txt)
# Long properties draw more under the README's command.
LONG_RUNS=${FULL:-0.1} bash .ci/tests/vitest.sh env "PATH=$ENVIRONMENTS/node$1/node_modules/node/bin:$PATH" \
  node node_modules/vitest/vitest.mjs run "${tests[@]}"
