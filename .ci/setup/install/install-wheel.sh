# Python with the wheel, its optional dependencies, and what checks it
# needs: make-wheel
set -euo pipefail
python=$(bash .ci/environments/find-python.sh)
bash .ci/environments/python.sh "$ENVIRONMENTS/wheel" "$python" --requirement packages/python/tests/requirements.txt
"$UV" pip install --quiet --no-deps --reinstall --python "$ENVIRONMENTS/wheel/bin/python" "$WORK"/wheel/*.whl
"$ENVIRONMENTS/wheel/bin/python" -c 'import annarrow; print(annarrow.__version__)'
