#!/usr/bin/env bash
# Holds the contracts of a running edge against the programs that others feed them to: makes clients of
# its OpenAPI document and calls every operation with one, and hands its tools to the SDKs of models.
#
#   tests/clients/made.sh http://localhost:8080
#
# The edge must run with --mcp-rate 0. Needs Python 3.10 or npm; what the other, or Java, would do is left
# out with a word. What is installed stays in $OPDIR_CLIENTS (default: ~/.cache/opdir-clients). Exits 77
# where nothing can be had within five minutes.
set -euo pipefail

url=${1:?usage: made.sh URL-of-edge}
here=$(cd "$(dirname "$0")" && pwd)
work=${OPDIR_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/opdir-clients}/made
document=$url/api/v1/openapi.json
mkdir -p "$work"
cp "$here"/made/* "$work"
cd "$work"

. "$here/lib.sh"

packages() { once packages "$(cksum <package.json)" npm install --no-fund --no-audit; }
# Side by side; what could be had is known by its mark.
install() { # name command…
  rm -f "$1.had"
  if "${@:2}"; then touch "$1.had"; fi
}
had() { # name, what is left out without it
  [ -e "$1.had" ] || { echo "  left out: $2, as its packages cannot be had" && return 1; }
}
if has_python; then
  install generator python generator 'openapi-python-client==0.29.1' 'python-dateutil==2.9.0.post0' 'urllib3==2.7.0' &
  install models python models 'google-genai==3.3.0' 'openai-agents==0.24.0' 'pydantic-ai-slim[mcp]==2.68.0' &
  if java -version 2>/dev/null; then install java python java 'openapi-generator-cli==7.26.0' & fi
fi
if command -v npm >/dev/null; then install packages packages & fi
wait
compgen -G '*.had' >/dev/null || exit 77
# The same edge as a later version of v1 may answer: what may be added breaks no client made today.
grown=
if has_python; then
  rm -f grown
  python3 "$here/grown.py" "$url" grown &
  trap "kill $!" EXIT
  for _ in $(seq 50); do [ -s grown ] || sleep 0.1; done
  grown=$(cat grown)
fi
both() { # name, command…: calls the edge as it is and as it may become
  try "$1" "${@:2}" "$url"
  if [ -n "$grown" ]; then try "$1, of a later version" "${@:2}" "$grown"; fi
}

# The generator tidies what it wrote with the `ruff` beside it.
if had generator openapi-python-client; then
  try 'make with openapi-python-client' env PATH="$work/generator/bin:$PATH" generator/bin/openapi-python-client \
    generate --url "$document" --meta none --output-path directory --overwrite --fail-on-warning --config generator.yml
  both 'call every operation' generator/bin/python calls.py
fi
if had packages openapi-typescript; then
  try 'make with openapi-typescript' node_modules/.bin/openapi-typescript "$document" --output contract.ts
  try 'compile' node_modules/.bin/tsc
  both 'call with its types' "${NODE:-node}" out/calls.js
fi
if had java openapi-generator; then
  # From a file, so that nothing but the document says where its clients go.
  python3 -c 'import sys, urllib.request as it; it.urlretrieve(*sys.argv[1:])' "$document" openapi.json
  host=$(python3 -c 'import json; print(json.load(open("openapi.json"))["servers"][0]["url"])')
  make() { # language, folder, options…
    try "make with openapi-generator for $1" java/bin/openapi-generator-cli generate --generator-name "$1" \
      --input-spec openapi.json --output "$2" "${@:3}"
  }
  make typescript-fetch fetched
  try 'the host is that of the document' grep --fixed-strings "BASE_PATH = \"$host\"" fetched/runtime.ts
  if [ -e packages.had ]; then
    try 'compile that' node_modules/.bin/tsc --project fetched.json
    echo '{"type": "commonjs"}' >out-fetched/package.json
    both "call with typescript-fetch's client" "${NODE:-node}" out-fetched/calls_fetched.js
  fi
  if [ -e generator.had ]; then
    make python pydantic --additional-properties=packageName=pydantic_directory
    both "call with pydantic's types" env PYTHONPATH=pydantic generator/bin/python calls_pydantic.py
  fi
fi
if had models 'SDKs of models'; then
  for sdk in google-genai openai-agents pydantic-ai; do
    try "tools for $sdk" models/bin/python tools.py "$url/mcp" "$sdk"
  done
fi
copy() { # program, interpreter…: makes a copy of the directory, and brings it up to date, which changes nothing
  try "a copy with $1" bash -c 'rm -f "$1" && "${@:2}" "$1" && cp "$1" "$1.first" && "${@:2}" "$1" && cmp "$1.first" "$1"' \
    - "$work/$1.json" "${@:2}" "$here/../../generator/site/examples/$1" "$url"
}
if has_python; then copy keep_copy.py python3; fi
if command -v "${NODE:-node}" >/dev/null; then copy keep_copy.mjs "${NODE:-node}"; fi
if [ -e keep_copy.py.json ] && [ -e keep_copy.mjs.json ]; then
  try 'both copies are equal, and whole' python3 -c 'import json, sys, urllib.request as it
one, other = (json.load(open(name)) for name in ("keep_copy.py.json", "keep_copy.mjs.json"))
all = it.urlopen(sys.argv[1] + "/changes?limit=5000").read().decode().splitlines()
assert one == other and (len(all) == len(one["records"]) or len(all) == 5000)' "$url"
fi
exit "$failed"
