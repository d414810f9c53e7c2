# Broken stores of AnnData, and a list of what is wrong with each, in $WORK/bad
# needs: install-python
set -euo pipefail
mkdir "$WORK/bad"
"$ENVIRONMENTS/python/bin/python" "$SHARED/fixtures/anndata_bad.py" "$WORK/bad"
# Random bytes may end in an error or in other values, as the list says itself; the sweep would insist on values.
node -e '
  const fs = require("fs"), list = JSON.parse(fs.readFileSync(process.argv[1]));
  for (const one of list) if (/an error or wrong values/.test(one.wrong)) one.expect = "either";
  fs.writeFileSync(process.argv[1], JSON.stringify(list));
' "$WORK/bad/bad.json"
