#!/usr/bin/env bash
# Runs what a page of docs/ shows with the library as it is built: bash .ci/pages/docs.sh docs/bpcells.md
#
# Blocks of Python run where PYTHON is one that has what they import.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
page=$PWD/$1 blocks=$PWD/.ci/pages/blocks.sh server=
folder=$(mktemp -d)
finish() {
  [[ -z $server ]] || kill "$server"
  rm -rf "$folder"
}
trap finish EXIT
# What the page calls a file on the web.
if grep -q 'http://localhost:8123/' "$page"; then
  # The page's own server, where it shows one.
  awk '/^```/ { text = ""; next } { text = text $0 "\n" } /^}\)\.listen\(8123\);$/ { printf "%s", text; exit }' "$page" \
    >"$folder/server.mjs"
  if [[ -s $folder/server.mjs ]]; then
    node "$folder/server.mjs" & # it serves "examples" of the working folder
  else
    rm "$folder/server.mjs"
    node .ci/pages/range-server.mjs examples 8123 &
  fi
  server=$!
fi
# "annarrow" is the installed package, for import and as a command.
mkdir "$folder/bin"
ln -s "$WORK/beside-engines/node_modules/annarrow/dist/cli/main.js" "$folder/bin/annarrow"
ln -s "$WORK/beside-engines/node_modules" "$folder/node_modules"
cp -r "$WORK/beside-engines/package.json" examples "$folder" && cd "$folder" || exit 1
PATH="$folder/bin:$PATH" bash "$blocks" "$page"
