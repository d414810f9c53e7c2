# Bundlers that users have beside our esbuild: Vite, webpack and Rollup
set -euo pipefail
folder=$ENVIRONMENTS/bundlers
mkdir -p "$folder" && cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent vite@8.3.8 webpack@5.113.0 webpack-cli@7.3.1 rollup@4.68.8 \
  @rollup/plugin-node-resolve@16.0.3 @rollup/plugin-commonjs@29.0.3
