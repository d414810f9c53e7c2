# Python with the wheel, pyiceberg and Spark, and Iceberg's runtime for Spark
# needs: make-wheel install-java
set -euo pipefail
python=$(bash .ci/environments/find-python.sh)
bash .ci/environments/python.sh "$ENVIRONMENTS/iceberg" "$python" --requirement packages/python/tests/requirements-iceberg.txt
"$UV" pip install --quiet --no-deps --reinstall --python "$ENVIRONMENTS/iceberg/bin/python" "$WORK"/wheel/*.whl
jar=$ENVIRONMENTS/iceberg-spark-runtime.jar
version=1.12.0
maven=https://repo1.maven.org/maven2/org/apache/iceberg/iceberg-spark-runtime-4.1_2.13
[[ -e $jar ]] || curl -fsS --retry 3 "$maven/$version/iceberg-spark-runtime-4.1_2.13-$version.jar" -o "$jar"
echo "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82  $jar" | sha256sum --check
