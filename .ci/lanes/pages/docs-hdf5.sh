# What docs/hdf5.md shows works
# needs: build
bash .ci/pages/docs.sh docs/hdf5.md
