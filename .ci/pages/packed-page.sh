# Makes a folder with the packed package, the example, and a file that is large enough for workers, and goes there: for lanes
# whose pages read these files, by `source`.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cp -r "$WORK"/installed/{package.json,node_modules} . || exit
cp "$ROOT/examples/pbmc.h5ad" .
# Large enough for workers, from copies of the example.
for i in {1..12}; do cp pbmc.h5ad "part$i.h5ad"; done
npx --no-install annarrow concat part*.h5ad -o large.h5ad --join outer --label part --index-unique - 2>/dev/null || exit
