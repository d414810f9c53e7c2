# What netCDF4, xarray, PyTables, pandas and h5py write into plain HDF5 and Zarr has their values, and they read what we write
# needs: build install-plain
PLAIN=required "$ENVIRONMENTS/plain/bin/python" .ci/tests/count-pytest.py test/interop/test_plain.py
