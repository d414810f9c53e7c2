# Damaged files of all formats end in a named error or in values, soon and in little memory
# needs: npm-ci
if [[ -n $FULL ]]; then node .ci/fuzz.mjs --mutations 100000; else node .ci/fuzz.mjs --mutations 6000 --seconds 60; fi
