# Loom files written again, by 3.0.0 and 2.0.1, are what they were
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-loom
"$ENVIRONMENTS/loompy/bin/python" .ci/compare/loom_stores.py again --shared "$SHARED" --dist "$ROOT/dist" \
  "$SHARED/corpus/loom" "$WORK/made-loom/good"
