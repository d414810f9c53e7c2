# Broken stores of AnnData, and a list of what is wrong with each, in $WORK/bad
# needs: install-python
set -euo pipefail
mkdir "$WORK/bad"
"$ENVIRONMENTS/python/bin/python" "$SHARED/fixtures/anndata_bad.py" "$WORK/bad"
# Random bytes may end in an error or in other values, as the list says itself; the sweep would insist on values. Categories
# that are stored twice are read as one, with a warning.
node -e '
  const fs = require("fs"), list = JSON.parse(fs.readFileSync(process.argv[1]));
  for (const one of list) {
    if (/an error or wrong values/.test(one.wrong)) one.expect = "either";
    if (one.wrong === "the same category twice") one.expect = "harmless";
  }
  fs.writeFileSync(process.argv[1], JSON.stringify(list));
' "$WORK/bad/bad.json"
