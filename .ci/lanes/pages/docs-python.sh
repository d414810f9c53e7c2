# What docs/python.md shows works
# needs: beside-engines install-wheel install-java
export PYTHON="$ENVIRONMENTS/wheel/bin/python"
PYSPARK_PYTHON=$PYTHON bash .ci/pages/docs.sh docs/python.md
