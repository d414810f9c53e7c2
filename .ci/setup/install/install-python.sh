# Python with anndata, h5py, zarr, pyarrow, …, and the compiler that checks the modules made of C
# uses: install-uv
set -euo pipefail
python=$(bash .ci/environments/find-python.sh)
bash .ci/environments/python.sh "$ENVIRONMENTS/python" "$python" --requirement test/interop/requirements.txt
"$ENVIRONMENTS/python/bin/python" --version
