# Many clients of all kinds at one Flight server for a minute: no errors, and its memory does not grow
# in turns
# needs: build
node .ci/flight-soak.mjs
