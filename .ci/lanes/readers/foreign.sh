# HDF5, Zarr, Parquet and Arrow files of other projects have the values that the libraries of these formats read
# needs: npm-ci foreign-files
set -euo pipefail
node .ci/foreign/foreign.mjs "$WORK/foreign/files" "$WORK/foreign/out" ${FULL:+--full} >"$WORK/foreign/lines"
"$ENVIRONMENTS/python/bin/python" .ci/foreign/foreign_compare.py .ci/foreign/known-foreign.txt ${FULL:+--full} <"$WORK/foreign/lines"
