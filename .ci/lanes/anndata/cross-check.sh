# Every object of every HDF5 file is as libhdf5 reads it
# only where: [[ -d $SHARED/oracle ]]
# needs: npm-ci make-fixtures
node .ci/cross-check.mjs "$SHARED"/corpus/{anndata,bpcells,loom,mat73} "$WORK/made"
