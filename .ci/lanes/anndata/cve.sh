# HDFGroup's files of CVEs: every value that libhdf5 reads is equal, the rest is refused by name
# only where: [[ -d $SHARED/corpus/cve ]]
# needs: npm-ci install-python
set -euo pipefail
node .ci/cve.mjs "$SHARED/corpus/cve" "$WORK/cve.json"
"$ENVIRONMENTS/python/bin/python" .ci/compare/cve.py "$SHARED/corpus/cve" "$WORK/cve.json" .ci/compare/known-cve.txt
