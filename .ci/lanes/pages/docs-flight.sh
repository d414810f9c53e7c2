# What docs/flight.md shows works
# needs: beside-engines
bash .ci/pages/docs.sh docs/flight.md
