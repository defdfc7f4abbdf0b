#!/usr/bin/env bash
# Measures what strangers cost. A HEAD, a condition and a byte of the largest download take at most three times as much
# processor time as a record. A visitor with another address is answered every time, and hardly later than alone, beside 32
# clients of downloads that push each other out of memory or of details, and beside one client that reads no answer,
# which holds at most a quarter of what may be in flight. 600 abandoned requests for details take at most 200 MB,
# and a connection that is kept 24 KB, what its first answer left included. Takes $SITE, the root of a snapshot, else
# builds the sample; $OPDIR_BIN, the folder of the programs; $PORT and the two after it must be free. Without curl or
# /proc it ends with 77.
set -euo pipefail
command -v curl >/dev/null && [ -r /proc/self/stat ] || { printf 'there is no curl, or no /proc\n'; exit 77; }
site=${SITE:-}
[ -z "$site" ] || site=$(cd "$site" && pwd)
# shellcheck source=edge/deploy/shared.sh
. "$(dirname "$0")/../edge/deploy/shared.sh"
origin=127.0.0.1:${PORT:-18480} times=${REQUESTS:-2000}

if [ -n "$site" ]; then ln -s "$site" "$scratch/site"; else publish; fi
admin=127.0.0.1:$((${origin#*:} + 2))
serve "$origin" --admin-listen "$admin"
# path, options of curl…
ask() { curl --silent --show-error --fail --header 'Host: localhost' --output /dev/null "${@:2}" "http://$origin$1"; }
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

# 500 visits are all answered. Beside clients of what costs most, half of them take at most three times as long as beside
# clients of records, or 8 ms, and all but one in a hundred at most ten times as long, or 100 ms: the visitor, the edge and
# what is beside them share the processors of this machine, and something else may take them for a while.
visit() { # what
  for _ in 1 2 3; do
    curl --silent --interface 127.0.0.2 --header 'Host: localhost' --output /dev/null --max-time 10 \
      --write-out '%{http_code} %{time_total}\n' "http://$origin$record?[1-500]" | sort >"$scratch/visits"
    [ "$(grep -c '^200 ' "$scratch/visits")" = 500 ] || die "a visitor is refused $1"
    read -r median late < <(awk 'NR == 250 || NR == 495 { printf "%d ", 1000000 * $2 } END { print "" }' "$scratch/visits")
    printf '%s: %d µs, %d µs\n' "$1" "$median" "$late"
    ((median <= 3 * ${plain:-median} || median <= 8000)) && ((late <= 10 * ${late_plain:-late} || late <= 100000)) && return
  done
  die "a visitor waits $1"
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
printf 'visits, median and 99th percentile:\n'
visit 'alone'
crowd records "$record"
plain=$median late_plain=$late
crowd downloads '/data/{facts,programs}.ndjson'
slugs=$(curl --silent --header 'Host: localhost' "http://$origin/programs?limit=100" | sed -n 's#.*href="/programs/\([^"?]*\)".*#\1#p')
# Each number is an answer of its own: a body that several read counts once.
# shellcheck disable=SC2086
details() { printf '/api/v1/details?limit=%s%s\n' "$1" "$(printf '&program=%s' $slugs)"; }
crowd details "$(details '[1-10000]')"

# Bash opens TCP connections itself.
ulimit -Sn "$(ulimit -Hn)"
memory() { awk -v what="$1:" '$1 == what { print $2 }' "/proc/$edge/status"; }
connections=()
connect() { # number, times, path…: connections with so many requests of each path, which nobody reads
  local fd
  for _ in $(seq "$1"); do
    { exec {fd}<>"/dev/tcp/${origin%:*}/${origin#*:}"; } 2>/dev/null || return 0
    connections+=("$fd")
    # What the edge does not read need not be written.
    { for _ in $(seq "$2"); do printf 'GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n' "${@:3}"; done >&"$fd"; } 2>/dev/null || true
  done
}
leave() { for fd in "${connections[@]}"; do exec {fd}>&-; done; connections=(); }
for n in $(seq 150); do
  mapfile -t targets < <(for m in $(seq 12); do details $((12 * n + m)); done)
  connect 1 1 "${targets[@]}"
done
visit "beside ${#connections[@]} connections of one client that reads nothing"
held() { curl --silent "http://$admin/metrics" | sed -n "s/^edge_flight_$1 //p"; }
# Answers of a small directory fit into what the system keeps for connections.
for _ in $(seq 50); do [ "$(held refusals_total)" = 0 ] || break; sleep 0.1; done
printf 'it holds %d bytes, and %d answers were refused\n' "$(held bytes)" "$(held refusals_total)"
[ "$(held bytes)" -le $(($(held limit_bytes) / 4)) ] || die 'a client holds more than a quarter'
leave

origin=${origin%:*}:$((${origin#*:} + 1))
serve "$origin" --trusted-proxy 127.0.0.0/8
connect 10 1 "$record"
before=$(memory VmRSS)
connect 4000 1 "$record"
each=$((($(memory VmRSS) - before) / (${#connections[@]} - 10)))
printf 'an unused connection: %d KB\n' "$each"
[ "$each" -le 24 ] || die 'an unused connection takes more than 24 KB'
leave
before=$(memory VmRSS)
for n in $(seq 600); do connect 1 1 "$(details "$n")"; done
leave
visit 'after 600 abandoned requests for details'
more=$((($(memory VmHWM) - before) / 1024))
printf '600 abandoned requests for details: %d MB\n' "$more"
[ "$more" -le 200 ] || die '600 abandoned requests take more than 200 MB'
