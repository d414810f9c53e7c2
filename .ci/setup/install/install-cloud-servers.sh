# Servers that speak the languages of S3, Google and Azure: moto, fake-gcs-server, Azurite; with --full also rclone
# uses: install-uv
set -euo pipefail
python=$(bash .ci/environments/find-python.sh)
bash .ci/environments/python.sh "$ENVIRONMENTS/moto" "$python" 'moto[server,s3]==5.2.5'
npm install --silent --prefix "$ENVIRONMENTS/azurite" azurite@3.37.0
PATH=$PATH:/usr/local/go/bin
export GOBIN=$ENVIRONMENTS/go
[[ -x $GOBIN/fake-gcs-server ]] || go install github.com/fsouza/fake-gcs-server@v1.56.1
[[ -z $FULL || -x $GOBIN/rclone ]] || go install github.com/rclone/rclone@v1.76.0
