# What docs/recipes.md shows works, in Python too
# needs: build install-python
PYTHON="$ENVIRONMENTS/python/bin/python" bash .ci/pages/docs.sh docs/recipes.md
