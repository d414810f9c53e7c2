# ADBC's driver for Flight SQL asks our server
# needs: build install-python
"$ENVIRONMENTS/python/bin/python" .ci/tests/count-pytest.py test/interop/flight/test_flight_adbc.py
