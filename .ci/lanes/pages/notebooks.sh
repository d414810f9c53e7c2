# The notebooks of examples/ work with the package as it is built, in Deno's kernel and Python's
# in turns
# needs: build install-python
# uses: install-uv
set -euo pipefail
folder=$(mktemp -d)
server=
finish() {
  [[ -z $server ]] || kill "$server" || true
  rm -rf "$folder"
}
trap finish EXIT

npm install --silent --no-save --prefix "$folder/deno" deno@2.9.6 linkedom@0.18.15
bash .ci/environments/python.sh "$folder/venv" "$ENVIRONMENTS/python/bin/python" --requirement test/interop/requirements-notebooks.txt

# Where Jupyter looks for kernels, instead of the home folder.
export XDG_DATA_HOME="$folder/data" JUPYTER_CONFIG_DIR="$folder/config" DENO_DIR="$folder/deno-cache"
export DENO_NO_UPDATE_CHECK=1 NO_COLOR=1
"$folder/deno/node_modules/.bin/deno" jupyter --install

# "annarrow" is this package, where `npm install annarrow` would put it.
mkdir -p "$folder/run/node_modules" && echo '{ "type": "module" }' >"$folder/run/package.json"
ln -s "$ROOT" "$folder/run/node_modules/annarrow"
# What draws the plots.
ln -s "$ROOT/node_modules/@observablehq" "$folder/deno/node_modules/linkedom" "$folder/run/node_modules/"
cp -r examples "$folder/run/examples"

# The server says as its first line where it is.
node dist/cli/main.js serve "$folder/run/examples" --port 0 --read-only >"$folder/server.log" 2>&1 &
server=$!
for _ in $(seq 100); do
  ANNARROW_FLIGHT=$(sed -nE 's/.*"event":"serving","location":"([^"]+)".*/\1/p' "$folder/server.log")
  [[ -z $ANNARROW_FLIGHT ]] || break
  sleep 0.1
done
export ANNARROW_FLIGHT
[[ -n $ANNARROW_FLIGHT ]] || { cat "$folder/server.log" && exit 1; }

"$folder/venv/bin/python" .ci/pages/notebooks.py "$folder/run/examples/notebooks"
