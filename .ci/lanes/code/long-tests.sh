# The tests that take long (test/long-tests.txt) pass: every second file, the others with the next seed; with --full all
# needs: build
mapfile -t files < <(grep '^test/' test/long-tests.txt | awk -v seed="$SAMPLE_SEED" -v full="$FULL" 'full || NR % 2 == seed % 2')
bash .ci/tests/vitest.sh node node_modules/vitest/vitest.mjs run --project long "${files[@]}"
