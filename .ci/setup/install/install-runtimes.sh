# Node 26, Deno and Bun, as their npm packages
set -euo pipefail
folder=$ENVIRONMENTS/runtimes
mkdir -p "$folder" && cd "$folder"
echo '{"private": true}' >package.json
npm install --silent node@26.10.0 deno@2.9.6 bun@1.4.5
