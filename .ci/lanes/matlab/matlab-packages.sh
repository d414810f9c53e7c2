# hdf5storage 0.1, mat73, pymatreader and libmatio read what we write
# needs: build install-loompy
# uses: install-matio
# hdf5storage 0.2 is in the environment of the lane python-readers.
MATLAB=required "$ENVIRONMENTS/loompy/bin/python" .ci/tests/count-pytest.py test/interop/matlab/test_matlab.py test/interop/matlab/test_matlab_hdf5storage.py
