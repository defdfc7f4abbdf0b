#!/bin/sh
# Judges the pages of a site that is being served with an HTML validator and with Lighthouse: audit.sh BASE_URL
# Needs Node with npm, and Chromium at $CHROMIUM or /usr/bin/chromium. The packages are installed into a folder of
# their own; where they cannot be had it exits 77, and where only Lighthouse cannot start it says so and goes on.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/audit/* "$here"/pages.mjs "$work"
cd "$work"
PUPPETEER_SKIP_DOWNLOAD=1 npm install --silent --no-audit --no-fund || exit 77
node valid.mjs "$1"
if node --input-type=module --eval 'import "lighthouse"' 2>/dev/null; then
  node lighthouse.mjs "$1"
else
  echo 'left out: Lighthouse does not start on this Node'
fi
