# Every object of every HDF5 file is as libhdf5 reads it
# only where: [[ -d $SHARED/oracle ]]
# needs: npm-ci make-fixtures
# What was made to break readers has a lane of its own, cve.
node .ci/cross-check.mjs "$SHARED"/corpus/{anndata,bpcells,loom,mat73} "$WORK/made"
