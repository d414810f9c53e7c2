# What docs/zarr.md shows works
# needs: beside-engines
bash .ci/pages/docs.sh docs/zarr.md
