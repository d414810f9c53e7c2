# What docs/union.md shows works, in Python and DuckDB too
# needs: beside-engines install-python
PYTHON="$ENVIRONMENTS/python/bin/python" bash .ci/pages/docs.sh docs/union.md
