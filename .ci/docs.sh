#!/usr/bin/env bash
# Runs what a page of docs/ shows (its ```sh and ```js blocks), in order, with the library as it is built: bash .ci/docs.sh
# docs/bpcells.md. Each block is one check.
set -uo pipefail
cd "$(dirname "$0")/.."
page=$PWD/$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# "annarrow" is this package, for import and as a command.
cp -r package.json dist examples "$folder" && ln -s "$PWD/node_modules" "$folder/node_modules" && cd "$folder" || exit 1
mkdir bin && printf '#!/bin/sh\nexec node "%s/dist/cli/main.js" "$@"\n' "$folder" >bin/annarrow && chmod +x bin/annarrow
export PATH="$folder/bin:$PATH"

awk '
  /^```(sh|js)$/ { file = sprintf("block-%02d.%s", ++n, substr($0, 4)); next }
  /^```/         { file = "" }
  file != ""     { print > file }
' "$page"

passed=0 failed=0
for block in block-*; do
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
