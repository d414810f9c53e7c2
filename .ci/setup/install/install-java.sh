# Java 17 or later, which Spark needs
set -euo pipefail
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p') || true
if ((${version:-0} < 17)); then
  bash .ci/environments/apt.sh openjdk-17-jre-headless
fi
"$java" -version
