# Tables of MATLAB files have the values that h5py, hdf5storage, mat73, pymatreader and libmatio read
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-mat
# uses: install-matio
"$ENVIRONMENTS/loompy/bin/python" .ci/compare/mat_stores.py export --shared "$SHARED" --dist "$ROOT/dist" \
  "$SHARED/corpus/mat73" "$WORK/made-mat/good"
