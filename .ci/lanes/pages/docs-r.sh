# What docs/r.md shows works
# needs: beside-engines
bash .ci/pages/docs.sh docs/r.md
