# What docs/loom.md shows works
# needs: build
bash .ci/pages/docs.sh docs/loom.md
