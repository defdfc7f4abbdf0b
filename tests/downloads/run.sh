#!/bin/sh
# Holds the downloads of a snapshot against checkers that others wrote; needs Python, and pip for
# its packages: tests/downloads/run.sh ROOT BASE_URL, the two that `opdir build` was given.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet frictionless==5.21.0 csvw==4.1.1 mlcroissant==1.1.1
"$work/venv/bin/python" "$here/check.py" "$root/generations/$(cat "$root/CURRENT")/public/data" "$2"
