#!/usr/bin/env bash
# Puts a real nginx with nginx.conf before a real edge with the sample, and replays questions through it, with
# junk in every query: every body must be the edge's own, and 99 of 100 must come from the cache.
# Needs nginx and the Rust toolchain. $REQUESTS is how many; $PORT and the one after it must be free.
set -euo pipefail
# shellcheck source=edge/deploy/shared.sh
. "$(dirname "$0")/shared.sh"
port=${PORT:-18080} requests=${REQUESTS:-100000}
cache=127.0.0.1:$((port + 1)) origin=127.0.0.1:$port

cargo build --quiet --workspace --bin opdir --bin opdir-edge --bin storm
publish
serve "$origin" --trusted-proxy 127.0.0.1/32
start_nginx nginx.conf "$cache" -e "s/127.0.0.1:8080/$origin/" -e "s#/var/cache/nginx/opdir#$scratch/cache#"
for accept in identity gzip 'gzip, deflate, br, zstd'; do
  printf '%s: ' "$accept"
  "$bin/storm" replay --cache "$cache" --origin "$origin" --requests "$requests" --header "Accept-Encoding: $accept"
done
