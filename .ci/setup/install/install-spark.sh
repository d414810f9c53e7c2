# Python with Spark
# needs: install-java
set -euo pipefail
python=$(bash .ci/environments/find-python.sh)
"$python" -m venv "$ENVIRONMENTS/spark"
"$ENVIRONMENTS/spark/bin/pip" install --quiet --requirement test/interop/requirements-spark.txt
"$ENVIRONMENTS/spark/bin/python" -c 'import sys, pyspark; print(f"Python {sys.version.split()[0]}, pyspark {pyspark.__version__}")'
