# Every pair of formats converts as docs/conversions.md says, read by the libraries of all of them
# needs: build install-python install-loompy install-bpcells
CONVERSIONS=required LOOMPY_PYTHON="$ENVIRONMENTS/loompy/bin/python" BPCELLS_PYTHON="$ENVIRONMENTS/bpcells/bin/python" \
  MATLAB_PYTHON="$ENVIRONMENTS/loompy/bin/python" \
  "$ENVIRONMENTS/python/bin/python" .ci/tests/count-pytest.py test/interop/test_conversions.py
