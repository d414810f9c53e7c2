# What docs/matlab.md shows works
# needs: beside-engines
bash .ci/pages/docs.sh docs/matlab.md
