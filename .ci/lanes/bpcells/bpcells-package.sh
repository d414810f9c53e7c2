# The bpcells package reads what we write, and we read what it writes
# needs: build install-bpcells
BPCELLS=required "$ENVIRONMENTS/bpcells/bin/python" .ci/tests/count-pytest.py test/interop/test_bpcells.py
