# The committed WebAssembly of libzstd is what its sources compile to
# needs: install-python
"$ENVIRONMENTS/python/bin/python" scripts/build-zstd.py --check
