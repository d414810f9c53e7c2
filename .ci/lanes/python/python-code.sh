# The code of the Python package is typed and formatted
# needs: install-wheel
set -e
cd packages/python
"$ENVIRONMENTS/wheel/bin/ruff" check .
"$ENVIRONMENTS/wheel/bin/ruff" format --check .
"$ENVIRONMENTS/wheel/bin/mypy" --python-executable "$ENVIRONMENTS/wheel/bin/python"
