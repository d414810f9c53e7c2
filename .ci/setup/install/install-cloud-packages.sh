# The packages by which Amazon, Google and Microsoft find credentials
set -euo pipefail
npm install --silent --prefix "$ENVIRONMENTS/cloud-packages" \
  @aws-sdk/credential-providers@3.1175.0 google-auth-library@10.9.1 @azure/identity@4.13.1
