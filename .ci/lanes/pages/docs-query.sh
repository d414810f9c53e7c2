# What docs/query.md shows works
# needs: build
bash .ci/pages/docs.sh docs/query.md
