# What docs/cloud.md shows works, against servers of S3 and Google
# needs: beside-engines install-cloud-servers
set -uo pipefail
source .ci/cloud/servers.sh
addressOf() { tr ' ' '\n' <<<"$servers" | sed -n "s/^$1=//p"; }
AWS_ENDPOINT_URL_S3=$(addressOf moto) STORAGE_EMULATOR_HOST=$(addressOf gcs)
export AWS_ENDPOINT_URL_S3 STORAGE_EMULATOR_HOST
export AWS_ACCESS_KEY_ID=testing AWS_SECRET_ACCESS_KEY=testing AWS_REGION=us-east-1
curl --silent --fail --request PUT "$AWS_ENDPOINT_URL_S3/bucket"
curl --silent --fail --output /dev/null --json '{"name":"bucket"}' "$STORAGE_EMULATOR_HOST/storage/v1/b?project=p"
bash .ci/pages/docs.sh docs/cloud.md
