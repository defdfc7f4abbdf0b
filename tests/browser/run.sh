#!/bin/sh
# Runs the browser suite against a site that is being served: tests/browser/run.sh http://127.0.0.1:8080
# Needs Node and Debian's chromium; the two packages are installed into a folder of their own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.mjs "$work"
cd "$work"
npm init -y >/dev/null
PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --silent playwright-core@1.65 axe-core@4.14
node suite.mjs "$1"
if [ -n "${SHOTS:-}" ]; then node shots.mjs "$1" "$SHOTS"; fi
