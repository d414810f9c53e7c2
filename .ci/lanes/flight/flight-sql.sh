# ADBC's and JDBC's drivers for Flight SQL ask our server
# needs: build install-python install-java install-jdbc-driver
JDBC_DRIVER="$ENVIRONMENTS/flight-sql-jdbc-driver.jar" "$ENVIRONMENTS/python/bin/python" .ci/tests/count-pytest.py \
  test/interop/flight/test_flight_adbc.py test/interop/flight/test_flight_jdbc.py
