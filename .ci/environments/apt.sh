#!/usr/bin/env bash
# Installs packages of Debian: bash apt.sh PACKAGE…
#
# One call at a time: apt has a lock.
set -euo pipefail
as_root() { if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi; }
exec 9>"$WORK/apt.lock"
flock 9
as_root apt-get update -q
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
