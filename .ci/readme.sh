#!/usr/bin/env bash
# Runs what README.md shows (its ```sh and ```js blocks), in order, in a fresh clone; each block is one check.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet . "$folder/annarrow" && cd "$folder/annarrow" || exit 1

# One file per block: readme-01.sh, readme-02.js, …; inside the clone, so that "annarrow" is found.
awk '
  /^```(sh|js)$/ { file = sprintf("readme-%02d.%s", ++n, substr($0, 4)); next }
  /^```/         { file = "" }
  file != ""     { print > file }
' README.md

passed=0 failed=0
for block in readme-*; do
  echo "--- $block"
  sed 's/^/    /' "$block"
  case $block in
    *.sh) bash -e "$block" ;;
    *.js) node "$block" ;;
  esac
  if (($? == 0)); then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $block"; fi
done
((passed + failed > 0)) || failed=1
echo "$passed passed, $failed failed"
((failed == 0))
