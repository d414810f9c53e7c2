# The packed package reads, writes, queries and converts in Node 26, Deno and Bun
# needs: installed install-runtimes
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$ROOT/examples/pbmc.h5ad" "$ROOT/.ci/pages/runtime.mjs" "$folder" && cd "$folder" || exit 1
cp -r "$WORK"/installed/{package.json,node_modules} . || exit
installed=$ENVIRONMENTS/runtimes/node_modules
passed=0 failed=0
runs() {
  local name=$1 answer
  shift
  answer=$("$@" runtime.mjs 2>&1)
  if [[ $answer == '2700 cells, 187809 entries, 2700 x 800, all tables: true'* ]]; then
    passed=$((passed + 1)) && echo "ok: $name"
  else
    failed=$((failed + 1)) && echo "FAILED: $name: $answer"
  fi
  rm -rf copy.zarr tables
}
runs "Node 26" "$installed/node/bin/node"
runs Deno "$installed/.bin/deno" run --allow-all
runs Bun "$installed/.bin/bun"
echo "$passed passed, $failed failed"
((failed == 0))
