# The tests in Chromium pass
# needs: npm-ci
# uses: install-chromium
bash .ci/tests/vitest.sh npm run --silent test:browser --
