# JDBC's driver for Flight SQL asks our server
# in turns
# needs: build install-python install-java install-jdbc-driver
JDBC_DRIVER="$ENVIRONMENTS/flight-sql-jdbc-driver.jar" "$ENVIRONMENTS/python/bin/python" .ci/tests/count-pytest.py \
  test/interop/flight/test_flight_jdbc.py
