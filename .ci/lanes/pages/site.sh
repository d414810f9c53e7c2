# The site can be built; all links in it lead somewhere, it loads nothing from elsewhere, and its pages open in Chromium
# in turns
# needs: build install-chromium
set -uo pipefail
node scripts/mapping-pictures.mjs --check || exit
cd site || exit
[[ -z $EVERYTHING && node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --ignore-scripts || exit
npm run --silent build || exit
{ node check/links.mjs; node check/browser.mjs; } | awk '
  { print }
  /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
  END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 || passed == 0 }'
