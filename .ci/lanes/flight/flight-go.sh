# arrow-go reads from our Flight server, and our client from its
# in turns
# needs: build install-python
"$ENVIRONMENTS/python/bin/python" .ci/tests/count-pytest.py test/interop/flight/test_flight_go.py
