# The library and the command line in dist/
# needs: npm-ci
npm run --silent build
