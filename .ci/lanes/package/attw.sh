# The packed package's types resolve as its modules do
# needs: pack
npx --no-install attw --profile esm-only "$WORK"/packed/*.tgz
