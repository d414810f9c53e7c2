# The installed package beside the packages that this one is developed with, engines among them, in $WORK/beside-engines
# needs: installed
set -euo pipefail
mkdir -p "$WORK/beside-engines/node_modules" && cd "$WORK/beside-engines"
echo '{"private": true, "type": "module"}' >package.json
ln -s "$ROOT"/node_modules/* node_modules
cp -r "$WORK/installed/node_modules/annarrow" node_modules
