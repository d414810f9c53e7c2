# Loom files of all kinds, good and broken, in $WORK/made-loom
# needs: install-loompy
set -euo pipefail
mkdir "$WORK/made-loom"
"$ENVIRONMENTS/loompy/bin/python" "$SHARED/fixtures/loom_make.py" good "$WORK/made-loom/good"
"$ENVIRONMENTS/loompy/bin/python" "$SHARED/fixtures/loom_make.py" bad "$WORK/made-loom/bad"
