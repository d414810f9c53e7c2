# Objects in servers of S3, Google and Azure are written, read, listed and removed, whole and in parts, with conditions
# needs: npm-ci install-cloud-servers
set -uo pipefail
source .ci/cloud/servers.sh
CLOUD_SERVERS=$servers bash .ci/tests/vitest.sh npx vitest run packages/cloud/test/servers.test.ts packages/cloud/test/union-servers.test.ts
