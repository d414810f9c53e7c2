# Broken Loom files end in a named error, odd ones in a warning
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-loom
"$ENVIRONMENTS/loompy/bin/python" .ci/compare/loom_stores.py bad --cli "node $ROOT/dist/cli/main.js" \
  "$WORK/made-loom/bad/bad.json"
