# AnnData and MuData as Arrow and as Parquet files have the values that anndata reads
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-fixtures
sample=()
[[ -n $FULL ]] || sample=(--sample "$SAMPLE_SEED")
"$ENVIRONMENTS/python/bin/python" .ci/compare/oracle.py --shared "$SHARED" --cli "node $ROOT/dist/cli/main.js" "${sample[@]}" \
  "$SHARED/corpus/anndata" "$WORK/made"
