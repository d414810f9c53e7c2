# uv, which installs packages of Python faster than pip
set -euo pipefail
python=$(bash .ci/environments/find-python.sh)
"$python" -m venv "$ENVIRONMENTS/uv"
"$ENVIRONMENTS/uv/bin/pip" install --quiet uv==0.13.9
"$UV" --version
