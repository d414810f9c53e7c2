# Chromium
command -v chromium || bash .ci/environments/apt.sh chromium
