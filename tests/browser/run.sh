#!/bin/sh
# Runs the browser suite against a site that is being served: run.sh BASE_URL [PART…]
# or tries a preview, which it starts: run.sh --preview OPDIR
# Needs Node with npm, and Chromium at $CHROMIUM or /usr/bin/chromium. The packages are installed
# into a folder of their own, and where they cannot be had it exits 77; $SHOTS names a folder for screenshots, if they are wanted.
# $PICTURES is the folder of the README's pictures, which are kept current if BASE_URL serves the sample.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/*.mjs "$here"/package.json "$work"
cd "$work"
PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --silent --no-audit --no-fund || exit 77
if [ "$1" = --preview ]; then node preview.mjs "$2" ${SHOTS:+"$SHOTS"}; exit; fi
node suite.mjs "$@"
if [ -n "${SHOTS:-}" ]; then node shots.mjs "$1" "$SHOTS" || echo "no more pictures: the browser ended"; fi
if [ -n "${PICTURES:-}" ]; then node picture.mjs "$1" "$PICTURES"; fi
