# What docs/flight.md shows works
# needs: build
bash .ci/pages/docs.sh docs/flight.md
