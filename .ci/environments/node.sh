#!/usr/bin/env bash
# Installs another version of Node, as the npm package `node`: bash node.sh VERSION
set -euo pipefail
npm install --silent --no-save --prefix "$ENVIRONMENTS/node$1" "node@$1"
"$ENVIRONMENTS/node$1/node_modules/node/bin/node" --version
