# Broken BPCells stores end in a named error, and no file beside them is read
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-bpcells
"$ENVIRONMENTS/bpcells/bin/python" .ci/compare/bpcells_stores.py bad --cli "node $ROOT/dist/cli/main.js" "$WORK/made-bpcells/bad/bad.json"
