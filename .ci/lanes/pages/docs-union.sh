# What docs/union.md shows works, in Python and DuckDB too
# needs: build install-python
PYTHON="$ENVIRONMENTS/python/bin/python" bash .ci/pages/docs.sh docs/union.md
