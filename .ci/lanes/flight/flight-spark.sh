# A cluster of Spark reads a table from our Flight server, each of its tasks one endpoint
# in turns
# needs: build install-spark
SPARK=required "$ENVIRONMENTS/spark/bin/python" .ci/tests/count-pytest.py test/interop/flight/test_flight_spark.py
