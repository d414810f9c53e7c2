# The package as npm publishes it, in $WORK/packed
# needs: build
mkdir "$WORK/packed" && npm pack --ignore-scripts --pack-destination "$WORK/packed"
