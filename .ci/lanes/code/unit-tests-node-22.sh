# The unit tests that a version of Node can change pass on Node 22, which is between two versions that every run tests
# only where: [[ $(node --version) != v22.* && ( -n $FULL || -z $EVERYTHING ) ]]
# needs: build install-node-22
bash .ci/tests/under-node.sh 22
