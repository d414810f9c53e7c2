# What docs/python.md shows works
# needs: install-wheel
PYTHON="$ENVIRONMENTS/wheel/bin/python" bash .ci/pages/docs.sh docs/python.md
