# What docs/guides/ and the front page of the site show works, in Python too
# needs: beside-engines install-wheel
export PYTHON="$ENVIRONMENTS/wheel/bin/python"
for page in docs/guides/*.md site/front.md; do
  # Pages without commands; what R runs has a lane of its own.
  grep -qE '^```(sh|js|python)$' "$page" && [[ $page != */r.md ]] || continue
  echo "=== $page"
  bash .ci/pages/docs.sh "$page"
done | awk '
  { print }
  /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
  END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 || passed == 0 }'
