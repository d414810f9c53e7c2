# Node 22
bash .ci/environments/node.sh 22
