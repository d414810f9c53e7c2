# loompy reads what we write, and we read what it writes
# needs: build install-loompy
LOOMPY=required "$ENVIRONMENTS/loompy/bin/python" .ci/tests/count-pytest.py test/interop/loom/test_loompy.py test/interop/loom/test_loompy_files.py
