# Firefox reads files by the packed package, with workers, and shows the page of annarrow view
# needs: pack install-firefox
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
echo '{"private": true, "type": "module"}' >package.json
npm install --silent "$WORK"/packed/*.tgz || exit
cp "$ROOT/examples/pbmc.h5ad" . && cp "$ROOT/.ci/pages/bundled/page.js" .
# Large enough for workers, from copies of the example.
for i in {1..12}; do cp pbmc.h5ad "part$i.h5ad"; done
npx --no-install annarrow concat part*.h5ad -o large.h5ad --join outer --label part --index-unique - 2>/dev/null || exit
"$ROOT/node_modules/.bin/esbuild" page.js worker=annarrow/worker --entry-names=[name] --bundle --splitting --format=esm --minify \
  --outdir=out --log-level=warning || exit
cp "$ROOT/.ci/pages/bundled/plain.html" out/index.html
# With a display, since Firefox draws no WebGL without one.
xvfb-run --auto-servernum node "$ROOT/.ci/pages/firefox.mjs" "$folder" "$ROOT/examples/pbmc.expected.json"
