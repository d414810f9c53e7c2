# What README.md shows works in a fresh clone; `npm test`, which is among it, counts by its tests
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet . "$folder/annarrow" || exit
(cd "$folder/annarrow" && VITEST_JSON="$WORK/npm.json" bash .ci/pages/blocks.sh README.md) >"$WORK/readme.log" 2>&1
status=$?
cat "$WORK/readme.log"
counts=$(node .ci/tests/count-vitest.mjs "$WORK/npm.json") || counts="$counts"$'\n'"0 passed, 1 failed"
echo "$counts"
(echo "$counts" && tail -n 1 "$WORK/readme.log") | awk '
  /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
  END { printf "%d passed, %d failed\n", passed, failed }'
exit "$status"
