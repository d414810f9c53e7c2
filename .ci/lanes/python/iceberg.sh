# Tables of Iceberg have the rows of a union after each commit, as pyiceberg and Spark read them
# in turns
# needs: install-iceberg
bin=$ENVIRONMENTS/iceberg/bin
PATH="$bin:$PATH" ICEBERG_JAR="$ENVIRONMENTS/iceberg-spark-runtime.jar" "$bin/python" .ci/tests/count-pytest.py packages/python/tests/test_iceberg.py
