# What docs/r.md shows works
# needs: build
bash .ci/pages/docs.sh docs/r.md
