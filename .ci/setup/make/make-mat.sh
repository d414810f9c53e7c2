# MATLAB files of all kinds, good and broken, in $WORK/made-mat
# needs: install-loompy
set -euo pipefail
mkdir "$WORK/made-mat"
"$ENVIRONMENTS/loompy/bin/python" "$SHARED/fixtures/mat_make.py" good "$WORK/made-mat/good"
"$ENVIRONMENTS/loompy/bin/python" "$SHARED/fixtures/mat_make.py" bad "$WORK/made-mat/bad"
