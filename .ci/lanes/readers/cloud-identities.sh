# Objects are read with the credentials of instances, web identities, roles and programs, by the clouds' own packages
# needs: npm-ci pack install-cloud-servers install-cloud-packages
set -uo pipefail
source .ci/cloud/servers.sh
folder=$WORK/identities
mkdir "$folder" && cp "$ENVIRONMENTS/cloud-packages/package.json" "$folder"
cp -r "$ENVIRONMENTS/cloud-packages/node_modules" "$folder"
npm install --silent --no-save --prefix "$folder" "$WORK"/packed/*.tgz
node .ci/cloud/identities.mjs "$folder" "$(tr ' ' '\n' <<<"$servers" | sed -n 's/^moto=//p')"
