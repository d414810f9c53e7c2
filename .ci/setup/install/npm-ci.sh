# The packages of package-lock.json
#
# Where lanes are run by name, what is installed already is kept while it is newer than the list.
set -euo pipefail
[[ -z $EVERYTHING && node_modules/.package-lock.json -nt package-lock.json ]] && exit
npm ci --ignore-scripts
