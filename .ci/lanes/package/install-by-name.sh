# The lines of README.md that install by name do so, each in an empty folder, from a registry and an index on this machine
# needs: pack make-wheel
set -uo pipefail
passed=0 failed=0
check() {
  local name=$1
  shift
  echo "--- $name"
  if "$@"; then passed=$((passed + 1)) && echo "ok: $name"; else failed=$((failed + 1)) && echo "FAILED: $name"; fi
}

folder=$(mktemp -d)
node .ci/environments/named-registry.mjs "$WORK"/packed/*.tgz >"$folder/address" &
registry=$!
trap 'kill "$registry"; rm -rf "$folder"' EXIT
for _ in {1..100}; do
  [[ ! -s $folder/address ]] || break
  sleep 0.1
done
# With a cache of its own, npm asks the registry for this package; pip looks into the folder of the wheel, too.
export npm_config_registry npm_config_cache="$folder/cache" npm_config_yes=true npm_config_update_notifier=false
npm_config_registry=$(<"$folder/address")
export PIP_FIND_LINKS="$WORK/wheel" PIP_DISABLE_PIP_VERSION_CHECK=1

# Every line of the block is run alone: the shell takes "# …" as a comment.
blocks() { awk -v kind="$1" -v word="$2" '
  /^```/ && !inside { inside = 1; own = $0 == "```" kind; text = ""; next }
  /^```/ { inside = 0; if (own && text ~ word) { printf "%s", text; exit } next }
  inside { text = text $0 "\n" }' README.md; }
mapfile -t lines < <(blocks "" "npm install annarrow")
check "README.md has three lines of installing by name" test "${#lines[@]}" = 3
start() { mkdir "$folder/$1" && cp examples/pbmc.h5ad "$folder/$1" && cd "$folder/$1" || exit; }
run() { (start "$1" && bash -ec "$2"); }

check "${lines[0]}" run library "${lines[0]}"
program() { (cd "$folder/library" && mkdir -p examples && cp pbmc.h5ad examples/ && node first.mjs); }
blocks js "apache-arrow Table" >"$folder/library/first.mjs"
check "the program of README.md, with the library" program
check "the command of the library" bash -c "cd '$folder/library' && npx annarrow head pbmc.h5ad obs"

says() { [[ $(run "$@") == *"obsm/X_umap"* ]]; }
check "${lines[1]}" says command "${lines[1]}"

python=$(bash .ci/environments/find-python.sh)
"$python" -m venv "$folder/environment"
check "${lines[2]}" env PATH="$folder/environment/bin:$PATH" bash -ec "${lines[2]}"
blocks "" "import annarrow" >"$folder/first.py"
echo '    print(obs.num_rows)' >>"$folder/first.py"
# Node.js comes with the package: the one of this machine is not in the path.
read_in_python() { (start python && [[ $(PATH=/none "$folder/environment/bin/python" ../first.py) == 2700 ]]); }
check "the program of README.md in Python" read_in_python

echo "$passed passed, $failed failed"
((failed == 0))
