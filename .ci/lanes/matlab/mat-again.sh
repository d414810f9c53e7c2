# MATLAB files written again, in both profiles, are what they were
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-mat
# uses: install-matio
"$ENVIRONMENTS/loompy/bin/python" .ci/compare/mat_stores.py again --shared "$SHARED" --dist "$ROOT/dist" \
  "$SHARED/corpus/mat73" "$WORK/made-mat/good"
