#!/usr/bin/env bash
# Tries a running edge with the clients of others: the official conformance suite in both versions,
# the TypeScript and Python SDKs, FastMCP and the inspector's command line.
#
#   tests/clients/run.sh http://localhost:8080/mcp
#
# The edge must run with --mcp-rate 0 over a snapshot whose base URL is the origin of that address,
# and its data must hold a record with the word "grant". Needs Node 22 or later and Python 3.11 or
# later; what is installed goes to $OPDIR_CLIENTS (default: ~/.cache/opdir-clients).
set -euo pipefail

url=${1:?usage: run.sh URL-of-mcp}
here=$(cd "$(dirname "$0")" && pwd)
work=${OPDIR_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/opdir-clients}
node=${NODE:-node}
mkdir -p "$work"
cp "$here"/*.mjs "$here"/*.py "$here"/package.json "$work"
cd "$work"

[ -d node_modules/@modelcontextprotocol/conformance ] || npm install --no-fund --no-audit
install_python() { # folder requirement
  [ -x "$1/bin/python" ] || { python3 -m venv "$1" && "$1/bin/pip" install --quiet "$2"; }
}
install_python py-v1 'mcp==1.30.0'
install_python py-v2 'mcp==2.3.0'
install_python py-fastmcp 'fastmcp==4.1.2'

failed=0
try() { # name command…
  local name=$1
  shift
  if "$@" >"$work/$(tr ' /' '__' <<<"$name").log" 2>&1; then
    echo "ok     $name"
  else
    echo "FAILED $name (see $work/$(tr ' /' '__' <<<"$name").log)"
    failed=1
  fi
}
inspect() {
  "$node" node_modules/.bin/mcp-inspector --cli "$url" --transport http --format json "$@"
}

for version in 2025-11-25 2026-07-28; do
  try "conformance $version" "$node" node_modules/.bin/conformance server --url "$url" \
    --requirements "$version" --expected-failures "$here/baseline-$version.yml" -o "$work/conformance-$version"
done
try "typescript 1" "$node" ts-v1.mjs "$url"
for mode in legacy auto pin; do
  try "typescript 2 $mode" "$node" ts-v2.mjs "$url" "$mode"
done
try "python 1" py-v1/bin/python py-v1.py "$url"
for mode in auto legacy 2026-07-28; do
  try "python 2 $mode" py-v2/bin/python py-v2.py "$url" "$mode"
done
try "fastmcp" py-fastmcp/bin/python py-fastmcp.py "$url"
try "inspector tools" inspect --method tools/list
try "inspector call" inspect --method tools/call --tool-name search_opportunities --tool-arg query=grant
try "inspector prompt" inspect --method prompts/get --prompt-name find_best_opportunities --prompt-args locale=es
exit "$failed"
