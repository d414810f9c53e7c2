# The Python wheel with the library as it is built, in $WORK/wheel
# needs: build
# uses: install-uv
set -euo pipefail
python=$(bash .ci/environments/find-python.sh)
"$python" -m venv "$WORK/wheel-python"
node scripts/python-wheel.mjs "$WORK/wheel" "$WORK/wheel-python/bin/python"
ls -l "$WORK"/wheel/*.whl
