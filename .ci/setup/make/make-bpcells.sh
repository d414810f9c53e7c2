# Stores of BPCells of all kinds, good and broken, in $WORK/made-bpcells
# needs: install-bpcells
"$ENVIRONMENTS/bpcells/bin/python" "$SHARED/fixtures/bpcells_make.py" "$WORK/made-bpcells"
