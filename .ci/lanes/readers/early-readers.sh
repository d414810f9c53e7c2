# anndata.js, which pins a zarrita of two years ago as viewers do, reads what we write
# needs: build
npm install --silent --no-save --ignore-scripts --prefix "$WORK/early" anndata.js@0.0.2 &&
  node .ci/early-readers.mjs "$WORK/early" test/fixtures/data/anndata/{plain,modern,empty}.v2.zarr.zip
