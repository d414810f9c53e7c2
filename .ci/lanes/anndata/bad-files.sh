# Broken stores of AnnData end in a named error
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-bad-files
"$ENVIRONMENTS/python/bin/python" "$SHARED/oracle/sweep.py" bad "$WORK/bad/bad.json" --cli "node $ROOT/dist/cli/main.js"
