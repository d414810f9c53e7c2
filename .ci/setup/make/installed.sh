# The packed package as npm installs it, in $WORK/installed, for lanes that take it from there
# needs: pack
set -euo pipefail
mkdir "$WORK/installed" && cd "$WORK/installed"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent "$WORK"/packed/*.tgz
