# What docs/matlab.md shows works
# needs: build
bash .ci/pages/docs.sh docs/matlab.md
