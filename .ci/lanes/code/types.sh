# The compiler finds nothing
# needs: npm-ci
set -e
npx --no-install tsc --noEmit
npx --no-install tsc --noEmit -p view
