# What docs/query.md shows works
# needs: beside-engines
bash .ci/pages/docs.sh docs/query.md
