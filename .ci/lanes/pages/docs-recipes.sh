# What docs/recipes.md shows works, in Python too
# needs: beside-engines install-python
PYTHON="$ENVIRONMENTS/python/bin/python" bash .ci/pages/docs.sh docs/recipes.md
