# bash, zsh and fish complete the command, its options, their values, files, and the tables of a file, where Tab is pressed
# needs: build install-shells
mkdir -p "$WORK/completion"
ln -sf "$ROOT/dist/cli/main.js" "$WORK/completion/annarrow"
PATH="$WORK/completion:$PATH" "$(bash .ci/environments/find-python.sh)" .ci/tests/complete-in-shells.py examples/pbmc.h5ad
