# The Python wheel reads what anndata has, by pyarrow, Polars and DuckDB; its process ends as it should
# needs: install-wheel
PATH="$ENVIRONMENTS/wheel/bin:$PATH" "$ENVIRONMENTS/wheel/bin/python" .ci/tests/count-pytest.py packages/python/tests \
  --ignore=packages/python/tests/test_spark.py --ignore=packages/python/tests/test_exactly_once.py
