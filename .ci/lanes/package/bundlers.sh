# Vite, webpack, esbuild and Rollup make pages of the packed package, as docs/bundlers.md says, which read a file in Chromium
# needs: pack install-bundlers
# uses: install-chromium
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
echo '{"private": true, "type": "module"}' >package.json
npm install --silent "$WORK"/packed/*.tgz || exit
cp "$ROOT/examples/pbmc.h5ad" . && cp "$ROOT"/.ci/pages/bundled/* .
# Large enough for workers, from copies of the example.
for i in {1..12}; do cp pbmc.h5ad "part$i.h5ad"; done
npx --no-install annarrow concat part*.h5ad -o large.h5ad --join outer --label part --index-unique - 2>/dev/null || exit
# The bundlers lie where the next run finds them; the package and what it needs here.
bundler() { node "$ENVIRONMENTS/bundlers/node_modules/$1" "${@:2}"; }
ln -s "$ENVIRONMENTS/bundlers/node_modules/@rollup" node_modules/@rollup

bundler vite/bin/vite.js build --logLevel error --outDir out/vite
# Without --full webpack does not minify, which takes it most of its time.
MINIMIZE=$FULL bundler webpack-cli/bin/cli.js --config webpack.config.mjs
"$ROOT/node_modules/.bin/esbuild" page.js worker=annarrow/worker --entry-names=[name] --bundle --splitting --format=esm --minify \
  --outdir=out/esbuild --log-level=warning
"$ROOT/node_modules/.bin/esbuild" page.js --entry-names=[name] --bundle --splitting --format=esm --minify \
  --outdir=out/esbuild-alone --log-level=warning
bundler rollup/dist/bin/rollup --config rollup.config.mjs --silent
for made in webpack esbuild esbuild-alone rollup; do cp plain.html "out/$made/index.html"; done
node "$ROOT/.ci/pages/open-bundled.mjs" "$folder" "$ROOT/docs/bundlers.md"
