# The packed package works in an empty folder: as a command, imported in Node, bundled for Node and for the browser
# needs: pack
set -uo pipefail
passed=0 failed=0
check() {
  local name=$1
  shift
  if "$@"; then passed=$((passed + 1)) && echo "ok: $name"; else failed=$((failed + 1)) && echo "FAILED: $name"; fi
}
bundle() { "$ROOT/node_modules/.bin/esbuild" "$1" --bundle --format=esm --log-level=warning "${@:2}"; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$ROOT/examples/pbmc.h5ad" "$ROOT/examples/pbmc.zarr.zip" "$folder" && cd "$folder" || exit 1
echo '{"private": true, "type": "module"}' >package.json
check "installs into an empty folder" npm install --silent "$WORK"/packed/*.tgz

says() { [[ $("${@:2}") == *"$1"* ]]; }
check "annarrow --help" says "convert" npx --no-install annarrow --help
check "annarrow inspect" says "obsm/X_umap" npx --no-install annarrow inspect pbmc.h5ad
check "annarrow convert --to parquet" npx --no-install annarrow convert pbmc.h5ad pbmc/ --to parquet
check "wrote a manifest" test -s pbmc/manifest.json
check "annarrow query" says "2700" npx --no-install annarrow query pbmc.zarr.zip "select count(*) as n from obs" --format csv

views() {
  local server address="" status
  node_modules/.bin/annarrow view pbmc.h5ad >address.txt &
  server=$!
  for _ in {1..100}; do
    address=$(head -n 1 address.txt)
    [[ -z $address ]] || break
    sleep 0.1
  done
  # What stands behind the # is never sent.
  curl --fail --silent --show-error "${address%%#*}" | grep -q "assets/main.js"
  status=$?
  kill "$server" && wait "$server"
  return "$status"
}
check "annarrow view" views
check "annarrow view --static" npx --no-install annarrow view --static page/
check "wrote the page, and DuckDB-WASM beside it" test -s page/index.html -a -n "$(ls page/duckdb)"

cat >use.mjs <<'END'
import { open } from "annarrow";
const data = await open("pbmc.h5ad");
const obs = await data.table("obs").read({ columns: ["cell_type"] });
console.log(data.shape.join(" x "), obs.getChild("cell_type").get(0));
await data.close();
END
first=$(node use.mjs)
echo "$first"
check "imports in Node" test "${first%% x*}" = 2700

cat >types.ts <<'END'
import { convert, open, toPolars, write } from "annarrow";
const data = await open("pbmc.h5ad");
await convert("pbmc.h5ad", "pbmc/", { format: "parquet" });
await write("out.h5ad", data);
export const cells: number = (await data.gene("CD3E")).length;
export { toPolars };
END
# Neither conditions of Node.js nor its types are needed, and every file of types is checked.
compiles() {
  cat >tsconfig.json <<END
{
  "compilerOptions": {
    "noEmit": true, "strict": true, "target": "es2023", "types": [], "module": "$1", "moduleResolution": "$2",
    "lib": ["es2023", "dom", "dom.iterable", "dom.asynciterable", "esnext.disposable"]
  },
  "files": ["types.ts"]
}
END
  node "$ROOT/node_modules/typescript/bin/tsc"
}
check "has types by TypeScript's bundler resolution" compiles esnext bundler
check "has types by TypeScript's node16 resolution" compiles node16 node16
check "has types by TypeScript's nodenext resolution" compiles nodenext nodenext

cat >zarrita.mjs <<'END'
import { registerCodecs } from "annarrow/zarr";
import * as zarr from "zarrita";
const before = zarr.registry.get("zstd");
console.log(registerCodecs(zarr.registry).includes("zstd") && zarr.registry.get("zstd") !== before);
END
check "registers codecs in the zarrita that it brings" test "$(node zarrita.mjs)" = true

# The Node bundle keeps packages with files of their own outside; our modules must survive tree shaking.
check "bundles for Node" bundle use.mjs --platform=node --outfile=node.mjs \
  --external:h5wasm --external:apache-arrow --external:parquet-wasm --external:@duckdb/duckdb-wasm
check "the Node bundle works" test "$(node node.mjs)" = "$first"

cat >page.mjs <<'END'
import { open } from "annarrow";
globalThis.openBytes = (bytes) => open(bytes);
END
check "bundles for the browser" bundle page.mjs --platform=browser --outfile=page.js --external:@duckdb/duckdb-wasm
check "the browser bundle imports nothing of Node" bash -c '! grep -qE "(from|import\()\s*\"node:" page.js'

echo "$passed passed, $failed failed"
((failed == 0))
