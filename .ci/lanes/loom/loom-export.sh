# Tables of Loom files have the values that h5py and loompy read
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-loom
"$ENVIRONMENTS/loompy/bin/python" .ci/compare/loom_stores.py export --shared "$SHARED" --dist "$ROOT/dist" \
  "$SHARED/corpus/loom" "$WORK/made-loom/good"
