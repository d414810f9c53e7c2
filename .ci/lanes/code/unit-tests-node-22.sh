# A half of the unit tests that a version of Node can change pass on Node 22; with --full all of all
# only where: [[ $(node --version) != v22.* ]] # else the lane readme runs them
# needs: build install-node-22
bash .ci/tests/under-node.sh 22 half
