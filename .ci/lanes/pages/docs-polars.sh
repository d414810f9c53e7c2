# What docs/polars.md shows works
# needs: build
bash .ci/pages/docs.sh docs/polars.md
