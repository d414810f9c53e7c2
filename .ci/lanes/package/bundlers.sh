# esbuild, and in turns Vite, webpack and Rollup, make pages of the packed package, as docs/bundlers.md says, which read a file in Chromium
# needs: installed install-bundlers
# uses: install-chromium
set -uo pipefail
source "$ROOT/.ci/pages/packed-page.sh"
cp "$ROOT"/.ci/pages/bundled/* .
# The bundlers are where the next run finds them; the package and what it needs are here.
bundler() { node "$ENVIRONMENTS/bundlers/node_modules/$1" "${@:2}"; }
ln -s "$ENVIRONMENTS/bundlers/node_modules/@rollup" node_modules/@rollup
# Whether one of the three slow ones takes its turn.
takes_turn() { [[ -n $FULL || -z $EVERYTHING ]] || (($1 == SAMPLE_SEED % 3)); }

made=(esbuild esbuild-alone)
if takes_turn 0; then bundler vite/bin/vite.js build --logLevel error --outDir out/vite; fi
# Without --full webpack does not minify, which takes it most of its time.
if takes_turn 1; then made+=(webpack) && MINIMIZE=$FULL bundler webpack-cli/bin/cli.js --config webpack.config.mjs; fi
"$ROOT/node_modules/.bin/esbuild" page.js worker=annarrow/worker --entry-names=[name] --bundle --splitting --format=esm --minify \
  --outdir=out/esbuild --log-level=warning
"$ROOT/node_modules/.bin/esbuild" page.js --entry-names=[name] --bundle --splitting --format=esm --minify \
  --outdir=out/esbuild-alone --log-level=warning
if takes_turn 2; then made+=(rollup) && bundler rollup/dist/bin/rollup --config rollup.config.mjs --silent; fi
for one in "${made[@]}"; do cp plain.html "out/$one/index.html"; done
node "$ROOT/.ci/pages/open-bundled.mjs" "$folder" "$ROOT/docs/bundlers.md"
