#!/usr/bin/env bash
# Runs what README.md shows in a fresh clone.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet . "$folder/annarrow" && cd "$folder/annarrow" || exit 1
bash .ci/blocks.sh README.md
