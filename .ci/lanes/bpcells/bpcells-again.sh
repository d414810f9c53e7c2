# BPCells stores written again as directory, HDF5 and R object are what they were
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-bpcells
"$ENVIRONMENTS/bpcells/bin/python" .ci/compare/bpcells_stores.py again --shared "$SHARED" --dist "$ROOT/dist" \
  "$SHARED/corpus/bpcells" "$WORK/made-bpcells/good"
