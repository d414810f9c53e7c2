# Arrow's JDBC driver for Flight SQL
set -euo pipefail
jar=$ENVIRONMENTS/flight-sql-jdbc-driver.jar
version=18.3.0
maven=https://repo1.maven.org/maven2/org/apache/arrow/flight-sql-jdbc-driver
[[ -e $jar ]] || curl -fsS --retry 3 "$maven/$version/flight-sql-jdbc-driver-$version.jar" -o "$jar"
echo "3f418b46c880e263558c5de669bdbede2c5d4375527ced116fb29f795b03704c  $jar" | sha256sum --check
