# Python with loompy, hdf5storage 0.1, mat73 and pymatreader: loompy needs numpy 1, others wheels for CPython 3.11
# uses: install-uv
set -euo pipefail
requirements=(--requirement test/interop/requirements-loom.txt --requirement test/interop/requirements-matlab.txt)
[[ ! -d $SHARED/oracle ]] || requirements+=(--requirement "$SHARED/oracle/requirements-loom-mat.txt")
python=$(bash .ci/environments/find-python.sh 3.11 3.11 python3.11 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.11*/bin/python python3)
bash .ci/environments/python.sh "$ENVIRONMENTS/loompy" "$python" "${requirements[@]}"
"$ENVIRONMENTS/loompy/bin/python" -c 'import sys, loompy; print(f"Python {sys.version.split()[0]}, loompy {loompy.__version__}")'
