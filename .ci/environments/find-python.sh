#!/usr/bin/env bash
# Prints the first Python with venv and ensurepip whose version is in a range:
#
#   bash find-python.sh MIN MAX CANDIDATE…    e.g. 3.12 3.12 python3.12
#   bash find-python.sh                       3.12 or later, where this machine has it
set -uo pipefail
if (($# == 0)); then
  set -- 3.12 3.99 python3.13 python3.12 python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python
fi
min=$1 max=$2
shift 2
for candidate in "$@"; do
  "$candidate" - "$min" "$max" 2>/dev/null <<'END' || continue
import ensurepip, sys, venv
min, max = (tuple(map(int, version.split("."))) for version in sys.argv[1:])
sys.exit(not min <= sys.version_info[:2] <= max)
END
  echo "$candidate"
  exit
done
echo "no Python from $min to $max with venv and ensurepip found" >&2
exit 1
