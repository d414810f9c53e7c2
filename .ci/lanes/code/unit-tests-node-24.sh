# The unit tests that a version of Node can change pass on Node 24; with --full all of all
# only where: [[ $(node --version) != v24.* ]] # else the lane readme runs them
# needs: build install-node-24
bash .ci/tests/under-node.sh 24
