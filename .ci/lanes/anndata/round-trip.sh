# AnnData and MuData that go to another container and back are what they were, to anndata 0.8 too
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-fixtures
# uses: install-anndata-0.8
sample=()
[[ -n $FULL ]] || sample=(--sample "$SAMPLE_SEED")
"$ENVIRONMENTS/python/bin/python" .ci/compare/round-trip.py --shared "$SHARED" --dist "$ROOT/dist" "${sample[@]}" \
  --also "$ENVIRONMENTS/anndata08/bin/python" "$SHARED/corpus/anndata" "$WORK/made"
