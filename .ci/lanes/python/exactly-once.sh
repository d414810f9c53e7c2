# A union by Ray, read by Spark, has every entry once, though tasks, executors and the driver are killed at random moments
# in turns
# needs: install-wheel install-java
"$ENVIRONMENTS/wheel/bin/python" .ci/tests/count-pytest.py packages/python/tests/test_exactly_once.py
