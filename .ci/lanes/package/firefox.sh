# Firefox reads files by the packed package, with workers, and shows the page of annarrow view
# in turns
# needs: installed install-firefox
set -uo pipefail
source "$ROOT/.ci/pages/packed-page.sh"
cp "$ROOT/.ci/pages/bundled/page.js" .
"$ROOT/node_modules/.bin/esbuild" page.js worker=annarrow/worker --entry-names=[name] --bundle --splitting --format=esm --minify \
  --outdir=out --log-level=warning || exit
cp "$ROOT/.ci/pages/bundled/plain.html" out/index.html
# With a display, since Firefox draws no WebGL without one.
xvfb-run --auto-servernum node "$ROOT/.ci/pages/firefox.mjs" "$folder" "$ROOT/examples/pbmc.expected.json"
