# What docs/bpcells.md shows works
# needs: beside-engines
bash .ci/pages/docs.sh docs/bpcells.md
