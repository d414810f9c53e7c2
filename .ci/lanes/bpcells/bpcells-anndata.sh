# Matrices of AnnData as BPCells stores, and back from there, are what they were
# only where: [[ -d $SHARED/oracle ]]
# needs: build make-bpcells
"$ENVIRONMENTS/bpcells/bin/python" .ci/compare/bpcells_stores.py anndata --shared "$SHARED" --dist "$ROOT/dist" \
  "$SHARED"/corpus/bpcells/BPCells_repo/*.h5ad "$SHARED"/corpus/bpcells/real_r/interop/*.h5ad "$SHARED"/corpus/anndata/*.h5ad
