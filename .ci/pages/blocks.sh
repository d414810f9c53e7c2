#!/usr/bin/env bash
# Runs what a page shows (its ```sh and ```js blocks, with PYTHON its ```python blocks, and its ```sql blocks by the DuckDB of
# Python, with RSCRIPT its ```r blocks, and the commands in a table of "you have, you want"), in order, in this folder: bash blocks.sh README.md. Each
# block, and each such command, is one check.
set -uo pipefail

# One file per block: block-01.sh, block-02.js, …; in this folder, so that "annarrow" is found.
awk '
  /^```(sh|js|python|sql|r)$/ { file = sprintf("block-%02d.%s", ++n, substr($0, 4)); next }
  /^```/                { file = "" }
  file != ""            { print > file; next }
  /^\| you have /       { wanted = 1 }
  /^$/                  { wanted = 0 }
  wanted && match($0, /`annarrow [^`]*` \|$/) {
    print "npx " substr($0, RSTART + 1, RLENGTH - 4) > sprintf("block-%02d.sh", ++n)
  }
' "$1"

passed=0 failed=0
for block in block-*; do
  [[ $block != *.python && $block != *.sql || -n ${PYTHON:-} ]] || continue
  [[ $block != *.r || -n ${RSCRIPT:-} ]] || continue
  echo "--- $block"
  sed 's/^/    /' "$block"
  case $block in
    *.sh) command=(bash -e) ;;
    *.js) command=(node) ;;
    *.python) command=("$PYTHON") ;;
    *.r) command=("$RSCRIPT") ;;
    *.sql) command=("$PYTHON" -c 'import duckdb, sys; print(duckdb.sql(open(sys.argv[1]).read()))') ;;
  esac
  if "${command[@]}" "$block"; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED: $block"; fi
done
((passed + failed > 0)) || failed=1
echo "$passed passed, $failed failed"
((failed == 0))
