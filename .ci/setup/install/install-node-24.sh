# Node 24
bash .ci/environments/node.sh 24
