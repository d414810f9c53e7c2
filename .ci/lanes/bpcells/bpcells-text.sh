# Fragments of BPCells stores written as text of 10x are what they were
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-bpcells
"$ENVIRONMENTS/bpcells/bin/python" .ci/compare/bpcells_stores.py text --shared "$SHARED" --dist "$ROOT/dist" \
  "$SHARED/corpus/bpcells" "$WORK/made-bpcells/good"
