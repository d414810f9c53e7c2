# What docs/hdf5.md shows works
# needs: beside-engines
bash .ci/pages/docs.sh docs/hdf5.md
