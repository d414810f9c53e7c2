# Vite, webpack, esbuild and Rollup make pages of the packed package, as docs/bundlers.md says, which read a file in Chromium
# needs: pack install-bundlers
# uses: install-chromium
set -uo pipefail
source "$ROOT/.ci/pages/packed-page.sh"
cp "$ROOT"/.ci/pages/bundled/* .
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
