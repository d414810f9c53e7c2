# libmatio, a compiler for what reads with it, and the oracle's program
set -euo pipefail
if ! echo '#include <matio.h>' | cc -E - >/dev/null 2>&1; then
  bash .ci/environments/apt.sh gcc libc6-dev libmatio-dev
fi
[[ ! -d $SHARED/oracle ]] || cc -O1 -o "$MATIO_DUMP" "$SHARED/oracle/matio_dump.c" -lmatio
