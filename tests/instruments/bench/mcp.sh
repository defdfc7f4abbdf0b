#!/usr/bin/env bash
# Processor time of an edge for each request to the tool endpoint, in microseconds, and above it that of
# the plainest answers of the same stack: a small file, and a preflight, which has no body at all.
#
#   tests/instruments/bench/mcp.sh target/release/opdir-edge path/to/snapshot [seconds]
#
# Needs Linux, curl and wrk. The edge gets a port of its own and ends with the script.
set -euo pipefail

edge=${1:?usage: mcp.sh EDGE SNAPSHOT [SECONDS]}
root=${2:?usage: mcp.sh EDGE SNAPSHOT [SECONDS]}
seconds=${3:-4}
scratch=$(mktemp -d)
"$edge" --snapshot "$root" --listen 127.0.0.1:0 --mcp-rate 0 2>"$scratch/log" &
pid=$!
trap 'kill "$pid"; rm -rf "$scratch"' EXIT
url=
for _ in $(seq 600); do
  url=$(sed -n 's/.*address=\(127\.0\.0\.1:[0-9]*\).*/http:\/\/\1/p' "$scratch/log")
  [ -z "$url" ] || break
  sleep 0.1
done
[ -n "$url" ] || { cat "$scratch/log" >&2; exit 1; }

cat >"$scratch/ask.lua" <<'LUA'
wrk.method = os.getenv("METHOD")
wrk.body = os.getenv("BODY")
wrk.headers["Content-Type"] = "application/json"
LUA
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$pid/stat"; }
measure() { # name, method, path, body
  local before after
  export METHOD=$2 BODY=${4:-}
  before=$(ticks)
  wrk -t1 -c16 "-d${seconds}s" -s "$scratch/ask.lua" "$url$3" >"$scratch/wrk"
  after=$(ticks)
  grep -q 'Non-2xx' "$scratch/wrk" && { cat "$scratch/wrk" >&2; exit 1; }
  awk -v name="$1" -v ticks=$((after - before)) -v hertz="$(getconf CLK_TCK)" '
    / requests in / { count = $1 }
    /Requests\/sec/ { rate = $2 }
    END { printf "%-28s %7.1f µs %9.0f/s\n", name, ticks / hertz * 1e6 / count, rate }' "$scratch/wrk"
}
message() { printf '{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}' "$1" "$2"; }
tool() { # name, arguments
  measure "$1 ${3:-}" POST /mcp "$(message tools/call "{\"name\":\"$1\",\"arguments\":$2}")"
}

slug=$(curl -s "$url/api/v1/search?limit=1&facets=false" | grep -o '"slug":"[^"]*"' | sed -n '1s/.*:"\(.*\)"/\1/p')
measure 'GET /robots.txt' GET /robots.txt
measure 'OPTIONS /mcp' OPTIONS /mcp
measure ping POST /mcp "$(message ping '{}')"
measure tools/list POST /mcp "$(message tools/list '{}')"
tool list_filter_options '{"facet":"types"}'
tool search_opportunities '{"openOnly":true}' filter
tool search_opportunities '{"query":"research grant","openOnly":true}' words
tool get_opportunity "{\"slug\":\"$slug\"}"
