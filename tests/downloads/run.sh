#!/bin/sh
# Holds the downloads of a snapshot against checkers that others wrote; needs Python, and pip for
# its packages: tests/downloads/run.sh ROOT BASE_URL, the two that `opdir build` was given. A package that
# cannot be had is left out with a word; without any, it ends with 77.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv" >"$work/log" 2>&1 || exit 77
some=
for package in frictionless==5.21.0 pyshacl==0.40.1; do
  "$work/venv/bin/pip" install --quiet "$package" >"$work/log" 2>&1 && some=yes || true
done
[ -n "$some" ] || exit 77
python3 -m zipfile -e "$root/generations/$(cat "$root/CURRENT")/site.zip" "$work/public"
"$work/venv/bin/python" "$here/check.py" "$work/public" "$2"
