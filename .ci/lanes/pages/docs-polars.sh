# What docs/polars.md shows works
# needs: beside-engines
bash .ci/pages/docs.sh docs/polars.md
