#!/usr/bin/env bash
# Compares what an edge spends, in processor time, on a HEAD, a condition and a byte of the largest download with what it
# spends on a record: each at most three times as much. Takes $SITE, the root of a snapshot, else builds the sample;
# $OPDIR_BIN, the folder of the programs; $PORT must be free. Without curl or /proc it ends with 77.
set -euo pipefail
command -v curl >/dev/null && [ -r /proc/self/stat ] || { printf 'there is no curl, or no /proc\n'; exit 77; }
site=${SITE:-}
[ -z "$site" ] || site=$(cd "$site" && pwd)
# shellcheck source=edge/deploy/shared.sh
. "$(dirname "$0")/shared.sh"
origin=127.0.0.1:${PORT:-18480} times=${REQUESTS:-2000}

if [ -n "$site" ]; then ln -s "$site" "$scratch/site"; else publish --layout pack; fi
serve "$origin"
ask() { # path, options of curl…
  curl --silent --show-error --fail --header 'Host: localhost' --output /dev/null "${@:2}" "http://$origin$1"
}
spent() { awk '{ print $14 + $15 }' "/proc/$edge/stat"; }
cost() { # path, options of curl…: hundredths of a second for all requests
  local before
  ask "$1" "${@:2}"
  before=$(spent)
  ask "$1?[1-$times]" "${@:2}"
  echo $(($(spent) - before))
}
record=$(curl --silent --header 'Host: localhost' "http://$origin/api/v1/search?limit=1&facets=false" | grep -o '"slug":"[^"]*"' | cut -d '"' -f 4)
record=/api/v1/programs/${record%%$'\n'*}
largest='' most=0
for name in facts programs awards recipients cycles organizations; do
  bytes=$(ask "/data/$name.ndjson" --write-out '%{size_download}' || echo 0)
  if [ "$bytes" -gt "$most" ]; then largest=/data/$name.ndjson most=$bytes; fi
done
etag=$(curl --silent --head --header 'Host: localhost' "http://$origin$largest" | tr -d '\r' | sed -n 's/^etag: //p')

usual=$(cost "$record")
printf '%d requests of %s: %d0 ms; of %s, %d bytes:\n' "$times" "$record" "$usual" "$largest" "$most"
for what in 'HEAD --head' 'HEAD_in_gzip --head --header Accept-Encoding:gzip' 'byte --range 0-0' \
  "condition --header If-None-Match:$etag"; do
  read -r -a options <<<"${what#* }"
  found=$(cost "$largest" "${options[@]}")
  printf '%s: %d0 ms\n' "${what%% *}" "$found"
  # A clock that ticks a hundred times a second is late by one at either end.
  [ "$found" -le $((3 * usual + 2)) ] || die "a ${what%% *} costs more than three records"
done
