# Tab completes commands, options, choices, tables and files in bash, zsh and fish
# needs: build install-shells
set -euo pipefail
mkdir -p "$WORK/shells/bin"
printf '#!/bin/sh\nexec node "%s/dist/cli/main.js" "$@"\n' "$PWD" >"$WORK/shells/bin/annarrow"
chmod +x "$WORK/shells/bin/annarrow"
PATH=$WORK/shells/bin:$PATH "$ENVIRONMENTS/shells/bin/python" .ci/tests/completion_in_shells.py \
  "$WORK/shells/folder" examples/pbmc.h5ad
