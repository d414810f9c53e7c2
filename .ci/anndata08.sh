#!/usr/bin/env bash
# Makes a Python with anndata 0.8, the oldest that reads what we write: bash .ci/anndata08.sh FOLDER
#
# FOLDER becomes a virtual environment; its Python is FOLDER/bin/python. The packages are those of anndata 0.8's time
# (it needs numpy 1 and pandas 1), which have wheels for Python 3.8 to 3.11.
set -euo pipefail
folder=${1:?the folder of the environment}

find_python() {
  local candidate pyenv=${PYENV_ROOT:-$HOME/.pyenv}
  for candidate in "$pyenv"/versions/3.11*/bin/python "$pyenv"/versions/3.10*/bin/python "$pyenv"/versions/3.9*/bin/python \
    python3.11 python3.10 python3.9 python3.8 /usr/bin/python3; do
    "$candidate" -c 'import sys, ensurepip, venv; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 11))' 2>/dev/null || continue
    echo "$candidate"
    return
  done
  echo "no Python 3.8 to 3.11 with venv and ensurepip found" >&2
  return 1
}

python=$(find_python)
bash "$(dirname "$0")/environment.sh" "$folder" "$python" \
  anndata==0.8.0 h5py==3.8.0 hdf5plugin==4.4.0 numcodecs==0.11.0 numpy==1.23.5 pandas==1.5.3 scipy==1.10.1 zarr==2.13.6
"$folder/bin/python" -c '
import sys, anndata, h5py, hdf5plugin, zarr
assert anndata.__version__.startswith("0.8.")
print(f"Python {sys.version.split()[0]}, anndata {anndata.__version__}, h5py {h5py.__version__}, zarr {zarr.__version__}")'
