# zarr-python 2, which wrote and reads what is version 2 alone
# needs: install-python
# uses: install-uv
set -euo pipefail
bash .ci/environments/python.sh "$ENVIRONMENTS/zarr2" "$ENVIRONMENTS/python/bin/python" \
  zarr==2.18.7 numcodecs==0.15.1 anndata==0.11.4 "pandas<3"
"$ENVIRONMENTS/zarr2/bin/python" -c 'import zarr; print(zarr.__version__)'
