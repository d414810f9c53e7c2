# AnnData and MuData as Arrow files have the values that anndata reads
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-fixtures
"$ENVIRONMENTS/python/bin/python" .ci/compare/oracle.py --shared "$SHARED" --cli "node $ROOT/dist/cli/main.js" --to arrow \
  "$SHARED/corpus/anndata" "$WORK/made"
