# The pages of the API can be made, and all links in them lead somewhere
# needs: npm-ci
npm run --silent docs
