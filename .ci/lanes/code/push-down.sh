# Random statements are answered alike with and without push-down, in both engines of DuckDB
# in turns
# needs: npm-ci
STATEMENTS=$([[ -n $FULL ]] && echo 20000 || echo 500) \
  bash .ci/tests/vitest.sh npx vitest run test/query/push-down.test.ts
