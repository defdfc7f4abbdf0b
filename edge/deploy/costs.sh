#!/usr/bin/env bash
# Compares what an edge spends, in processor time, on a HEAD, a condition and a byte of the largest download with what it
# spends on a record: each at most three times as much. Then 32 clients take turns at two downloads that push each other
# out of memory, and a visitor with another address is answered every time; how fast is printed, and beside 32 clients of
# records, since all share this machine. Takes $SITE, the root of a snapshot, else builds the sample;
# $OPDIR_BIN, the folder of the programs; $PORT must be free. Without curl or /proc it ends with 77.
set -euo pipefail
command -v curl >/dev/null && [ -r /proc/self/stat ] || { printf 'there is no curl, or no /proc\n'; exit 77; }
site=${SITE:-}
[ -z "$site" ] || site=$(cd "$site" && pwd)
# shellcheck source=edge/deploy/shared.sh
. "$(dirname "$0")/shared.sh"
origin=127.0.0.1:${PORT:-18480} times=${REQUESTS:-2000}

if [ -n "$site" ]; then ln -s "$site" "$scratch/site"; else publish; fi
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

visit() { # what: status and time of each of 500 requests, and of them the median
  curl --silent --interface 127.0.0.2 --header 'Host: localhost' --output /dev/null --max-time 10 \
    --write-out '%{http_code} %{time_total}\n' "http://$origin$record?[1-500]" | sort >"$scratch/visits"
  [ "$(grep -c '^200 ' "$scratch/visits")" = 500 ] || die "a visitor is refused $1"
  printf '%s: half of the visits take less than %s s\n' "$1" "$(sed -n '250s/.* //p' "$scratch/visits")"
}
crowd() { # what, paths…: visits beside 32 clients of them
  local clients=()
  for _ in $(seq 32); do
    # The last range turns fastest.
    curl --silent --header 'Host: localhost' --header 'Accept-Encoding: gzip' --max-time 10 "http://[1-100000]@$origin$2" \
      >/dev/null 2>&1 &
    clients+=($!)
  done
  visit "beside 32 clients of $1"
  kill "${clients[@]}"
  wait "${clients[@]}" || true
}
visit 'alone'
crowd records "$record"
crowd downloads '/data/{facts,programs}.ndjson'
