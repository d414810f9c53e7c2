# The tests that take long (test/long-tests.txt) pass
# needs: build
bash .ci/tests/vitest.sh node node_modules/vitest/vitest.mjs run --project long
