# Node 20
bash .ci/environments/node.sh 20
