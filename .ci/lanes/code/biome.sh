# The formatter and the linter find nothing
# needs: npm-ci
npx --no-install biome check .
