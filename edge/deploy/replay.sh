#!/usr/bin/env bash
# Puts a real nginx with nginx.conf before a real edge with the sample, and replays questions through it, with
# junk in every query: every body must be the edge's own, and 99 of 100 must come from the cache.
# Needs nginx and the Rust toolchain. $REQUESTS is how many; $PORT and the one after it must be free.
set -euo pipefail
cd "$(dirname "$0")/../.."
port=${PORT:-18080} requests=${REQUESTS:-100000}
cache=127.0.0.1:$((port + 1)) origin=127.0.0.1:$port

scratch=$(mktemp -d)
started=()
finish() {
  [ ${#started[@]} = 0 ] || kill "${started[@]}" 2>/dev/null || true
  wait
  rm -rf "$scratch"
}
trap finish EXIT

cargo build --quiet --workspace --bins
bin=${CARGO_TARGET_DIR:-target}/debug
"$bin/opdir" init --sample "$scratch/data" >/dev/null
"$bin/opdir" build --data "$scratch/data" --out "$scratch/site" --base-url https://directory.example --quiet >/dev/null 2>&1
"$bin/opdir-edge" --snapshot "$scratch/site" --listen "$origin" --trusted-proxy 127.0.0.1/32 2>"$scratch/log" &
started+=($!)

sed -e "s/127.0.0.1:8080/$origin/" -e "s/listen 80;/listen $cache;/" \
  -e "s#/var/cache/nginx/opdir#$scratch/cache#" edge/deploy/nginx.conf >"$scratch/site.conf"
cat >"$scratch/nginx.conf" <<END
daemon off;
user $(id -un);
pid $scratch/nginx.pid;
error_log $scratch/nginx.log;
events {}
http {
    access_log off;
    include $scratch/site.conf;
}
END
nginx -c "$scratch/nginx.conf" -e "$scratch/nginx.log" &
started+=($!)

for address in "$origin" "$cache"; do
  for _ in $(seq 100); do
    (exec 3<>"/dev/tcp/${address%:*}/${address#*:}") 2>/dev/null && break
    sleep 0.1
  done
done
for accept in identity gzip 'gzip, deflate, br, zstd'; do
  printf '%s: ' "$accept"
  "$bin/storm" replay --cache "$cache" --origin "$origin" --requests "$requests" --header "Accept-Encoding: $accept"
done
