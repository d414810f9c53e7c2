# Python with netCDF4, xarray, PyTables and pandas, which write and read plain HDF5 and Zarr
# uses: install-uv
set -euo pipefail
python=$(bash .ci/environments/find-python.sh)
bash .ci/environments/python.sh "$ENVIRONMENTS/plain" "$python" --requirement test/interop/requirements-plain.txt
"$ENVIRONMENTS/plain/bin/python" -c 'import netCDF4, tables, xarray; print(f"netCDF4 {netCDF4.__version__}, PyTables {tables.__version__}, xarray {xarray.__version__}")'
