# The unit tests that a version of Node can change pass on Node 20; with --full all of all
# only where: [[ $(node --version) != v20.* ]] # else the lane readme runs them
# needs: build install-node-20
bash .ci/tests/under-node.sh 20
