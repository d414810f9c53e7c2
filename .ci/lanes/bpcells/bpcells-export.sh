# Tables of BPCells stores have the values that the oracle and the bpcells package read
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-bpcells
"$ENVIRONMENTS/bpcells/bin/python" .ci/compare/bpcells_stores.py export --shared "$SHARED" --dist "$ROOT/dist" \
  "$SHARED/corpus/bpcells" "$WORK/made-bpcells/good"
