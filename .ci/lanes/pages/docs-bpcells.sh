# What docs/bpcells.md shows works
# needs: build
bash .ci/pages/docs.sh docs/bpcells.md
