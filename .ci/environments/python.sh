#!/usr/bin/env bash
# Makes a virtual environment of a Python with packages: bash .ci/environments/python.sh FOLDER PYTHON REQUIREMENT…
#
# By uv where UV names it: it takes a tenth of pip's time, and keeps what several environments have once. Else, or where
# it fails, by pip.
set -uo pipefail
folder=$1 python=$2
shift 2
"$python" -m venv --without-pip "$folder" || exit
if [[ -x ${UV:-} ]]; then
  "$UV" pip install --quiet --python "$folder/bin/python" "$@" && exit
fi
"$folder/bin/python" -m ensurepip >/dev/null 2>&1 || exit
exec "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
