# The compiler finds nothing
# needs: npm-ci
npx --no-install tsc --noEmit
