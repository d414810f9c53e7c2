# The committed WebAssembly of libdeflate is what its sources compile to
# needs: install-python
"$ENVIRONMENTS/python/bin/python" scripts/build-deflate.py --check
