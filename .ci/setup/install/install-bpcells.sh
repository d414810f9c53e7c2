# Python with the bpcells package, which has wheels for CPython 3.12 alone
# uses: install-uv
set -euo pipefail
requirements=(--requirement test/interop/requirements-bpcells.txt)
[[ ! -d $SHARED/oracle ]] || requirements+=(--requirement "$SHARED/oracle/requirements-bpcells.txt")
python=$(bash .ci/environments/find-python.sh 3.12 3.12 python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12*/bin/python python3)
bash .ci/environments/python.sh "$ENVIRONMENTS/bpcells" "$python" "${requirements[@]}"
"$ENVIRONMENTS/bpcells/bin/python" -c 'import sys, bpcells; print(f"Python {sys.version.split()[0]}, bpcells {bpcells.__version__}")'
