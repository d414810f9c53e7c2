# Python with anndata 0.8, the oldest that reads what we write
#
# The packages are of anndata 0.8's time (it needs numpy 1 and pandas 1), and have wheels for Python 3.8 to 3.11.
# uses: install-uv
set -euo pipefail
pyenv=${PYENV_ROOT:-$HOME/.pyenv}
python=$(bash .ci/environments/find-python.sh 3.8 3.11 \
  "$pyenv"/versions/3.11*/bin/python "$pyenv"/versions/3.10*/bin/python "$pyenv"/versions/3.9*/bin/python \
  python3.11 python3.10 python3.9 python3.8 /usr/bin/python3)
bash .ci/environments/python.sh "$ENVIRONMENTS/anndata08" "$python" \
  anndata==0.8.0 h5py==3.8.0 hdf5plugin==4.4.0 numcodecs==0.11.0 numpy==1.23.5 pandas==1.5.3 scipy==1.10.1 zarr==2.13.6
"$ENVIRONMENTS/anndata08/bin/python" -c '
import sys, anndata, h5py, hdf5plugin, zarr
assert anndata.__version__.startswith("0.8.")
print(f"Python {sys.version.split()[0]}, anndata {anndata.__version__}, h5py {h5py.__version__}, zarr {zarr.__version__}")'
