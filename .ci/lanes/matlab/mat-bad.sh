# Broken MATLAB files end in a named error, odd ones in a warning
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-mat
"$ENVIRONMENTS/loompy/bin/python" .ci/compare/mat_stores.py bad --cli "node $ROOT/dist/cli/main.js" \
  "$WORK/made-mat/bad/bad.json"
