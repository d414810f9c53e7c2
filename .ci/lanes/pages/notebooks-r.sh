# The notebook of examples/ for R's kernel works with the command as it is built
# in turns
# needs: build install-python install-r
# uses: install-uv
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bash .ci/environments/python.sh "$folder/venv" "$ENVIRONMENTS/python/bin/python" --requirement test/interop/requirements-notebooks.txt

# The kernel, as `IRkernel::installspec()` would write it for this R.
kernel=$folder/data/jupyter/kernels/ir
mkdir -p "$kernel" "$folder/bin" "$folder/run/examples/notebooks"
echo 'IRkernel::main()' >"$kernel/kernel.R"
printf '{"argv":["%s","%s","{connection_file}"],"display_name":"R","language":"R"}' "$ENVIRONMENTS/r4/Rscript" "$kernel/kernel.R" >"$kernel/kernel.json"
export XDG_DATA_HOME="$folder/data" JUPYTER_DATA_DIR="$folder/data/jupyter" JUPYTER_CONFIG_DIR="$folder/config"

# "annarrow" is this package, where `npm install --global annarrow` would put it.
printf '#!/bin/sh\nexec node "%s/dist/cli/main.js" "$@"\n' "$ROOT" >"$folder/bin/annarrow"
chmod +x "$folder/bin/annarrow"
export PATH="$folder/bin:$PATH"

cp -r examples "$folder/run/"
mkdir -p "$folder/run/examples/notebooks/exchange"
"$folder/venv/bin/python" .ci/pages/notebooks.py "$folder/run/examples/notebooks/r"
