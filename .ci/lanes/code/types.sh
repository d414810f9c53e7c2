# The compiler finds nothing
# needs: npm-ci
npm run --silent types
