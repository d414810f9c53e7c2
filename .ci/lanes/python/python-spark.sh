# A cluster of Spark reads files by the data source of the Python package
# in turns
# needs: install-wheel install-java
"$ENVIRONMENTS/wheel/bin/python" .ci/tests/count-pytest.py packages/python/tests/test_spark.py
