# Firefox, a display for it, and puppeteer, which drives it by WebDriver BiDi
set -euo pipefail
command -v firefox-esr && command -v xvfb-run || bash .ci/environments/apt.sh firefox-esr xvfb xauth libgl1-mesa-dri libegl1 libpci3
folder=$ENVIRONMENTS/firefox
mkdir -p "$folder" && cd "$folder"
echo '{"private": true}' >package.json
npm install --silent puppeteer-core@24.43.1
