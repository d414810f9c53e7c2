# What docs/loom.md shows works
# needs: beside-engines
bash .ci/pages/docs.sh docs/loom.md
