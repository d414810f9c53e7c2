# The packed package is as publint wants it
# needs: pack
npx --no-install publint --strict "$WORK"/packed/*.tgz
