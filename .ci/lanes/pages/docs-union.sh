# What docs/union.md shows works
# needs: build install-python
PYTHON="$ENVIRONMENTS/python/bin/python" bash .ci/pages/docs.sh docs/union.md
