# pyarrow, pandas, anndata, zarr, h5py and others read what we write, and we read what they write
# needs: build install-python
# uses: install-zarr-2 install-hdf5-tools install-matio
set -uo pipefail
# Cell Ranger's files, which are not in the repository.
files=("$SHARED"/corpus/anndata/10x_*.h5)
[[ -e ${files[0]} ]] || files=()
# Random MATLAB values are those of the lane matlab-packages, which differs in the version of hdf5storage alone.
twice=()
[[ -n $FULL ]] || twice=(--ignore=test/interop/matlab/test_matlab.py)
# Tests of other environments leave themselves out; the conversions, Flight in Go and Flight SQL are lanes of their own.
ZARR2_PYTHON="$ENVIRONMENTS/zarr2/bin/python" MATLAB=required CELL_RANGER_FILES=$(IFS=: && echo "${files[*]}") \
  "$ENVIRONMENTS/python/bin/python" .ci/tests/count-pytest.py test/interop "${twice[@]}" \
  --ignore=test/interop/test_conversions.py --ignore=test/interop/flight/test_flight_go.py \
  --ignore=test/interop/flight/test_flight_adbc.py --ignore=test/interop/flight/test_flight_jdbc.py
