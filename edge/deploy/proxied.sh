#!/usr/bin/env bash
# Puts a real nginx, Varnish and Caddy, with the settings here, before two real edges, and shows of each that the longest
# valid questions are answered as an edge answers them; of the caches that cookies, credentials, spellings of the host and
# parameters that change nothing cost the edges nothing; and that a client's calls to /mcp are admitted 60 in a minute,
# not 60 by each edge. Takes $OPDIR_BIN, the folder of the programs; $PORT and the six after it must be free. Without curl,
# or without all three proxies, it ends with 77.
set -euo pipefail
command -v curl >/dev/null || { printf 'there is no curl\n'; exit 77; }
# shellcheck source=edge/deploy/shared.sh
. "$(dirname "$0")/shared.sh"
port=${PORT:-18380}
edges=("127.0.0.1:$port" "127.0.0.1:$((port + 1))")
admins=("127.0.0.1:$((port + 2))" "127.0.0.1:$((port + 3))")

publish --as-of 2026-11-21
for number in 0 1; do
  serve "${edges[number]}" --admin-listen "${admins[number]}" --today 2026-11-21 --trusted-proxy 127.0.0.1/32
done

proxies=()
if command -v nginx >/dev/null; then
  address=127.0.0.1:$((port + 4))
  start_nginx nginx.conf "$address" -e "s/server 127.0.0.1:8080;/server ${edges[0]}; server ${edges[1]};/" \
    -e "s#/var/cache/nginx/opdir#$scratch/cache#"
  proxies+=("nginx $address")
fi
if command -v varnishd >/dev/null; then
  address=127.0.0.1:$((port + 5))
  sed -e "s/.port = \"8080\";/.port = \"$port\"; } backend other { .host = \"127.0.0.1\"; .port = \"$((port + 1))\";/" \
    -e 's/\(.*\)\.add_backend(edge);/& \1.add_backend(other);/' edge/deploy/varnish.vcl >"$scratch/varnish.vcl"
  varnishd -F -j none -n "$scratch/varnish" -a "$address" -f "$scratch/varnish.vcl" -s malloc,64m \
    -p http_resp_hdr_len=16k >"$scratch/varnish.log" 2>&1 &
  started+=($!)
  answers "$address"
  proxies+=("varnish $address")
fi
if command -v caddy >/dev/null; then
  address=127.0.0.1:$((port + 6))
  { printf '{\n\tadmin off\n}\n' && sed -e "s#^directory.example {#http://directory.example:${address#*:} {#" \
    -e "s/to 127.0.0.1:8080/to ${edges[*]}/" edge/deploy/Caddyfile; } >"$scratch/Caddyfile"
  HOME=$scratch caddy run --config "$scratch/Caddyfile" --adapter caddyfile >"$scratch/caddy.log" 2>&1 &
  started+=($!)
  answers "$address"
  proxies+=("caddy $address")
fi
for name in nginx varnish caddy; do
  [[ " ${proxies[*]-}" == *" $name "* ]] || printf 'left out: there is no %s here\n' "$name"
done
[ ${#proxies[@]} != 0 ] || exit 77

ask() { # address, path, options of curl…
  curl --silent --show-error --globoff --header "Host: ${host:-directory.example}" --max-time 20 "${@:3}" "http://$1$2"
}
# Requests that reached the edges.
reached() {
  local admin
  for admin in "${admins[@]}"; do curl --silent "http://$admin/metrics"; done \
    | awk '/^http_server_request_duration_seconds_count/ { sum += $NF } END { print sum + 0 }'
}
slugs() { ask "${edges[0]}" "$1" | grep -o '"slug":"[^"]*"' | cut -d '"' -f 4 | sort -u; }
repeat() { printf "%.0s$1" $(seq "$2"); } # text, times

program=$(slugs '/api/v1/search?limit=1&facets=false')
program=${program%%$'\n'*}
filters=$(for pair in types:type topics:topic fields:field applicants:applicant careers:career audiences:audience \
  education:education enrollments:enrollment citizenships:citizenship residences:residence countries:country \
  destinations:destination benefits:benefit lifecycles:lifecycle; do
  ask "${edges[0]}" "/api/v1/facets/${pair%:*}?limit=100" | grep -o '"value":"[^"]*"' | cut -d '"' -f 4 \
    | sed "s/^/${pair#*:}=/; s/ /%20/g"
done | sed -n 1,200p | paste -s -d '&')
[ "$(tr -cd = <<<"$filters" | wc -c)" = 200 ] || die 'the data does not have 200 values of facets'
details=$({ slugs '/api/v1/programs?limit=100' && repeat 'no-program-has-this-slug\n' 100; } | sed -n 1,100p \
  | awk '{ print "program=" $0 (/^no-/ ? NR : "") }' | paste -s -d '&')
alias=$(awk -F, '$1 == "organization" { print $3; exit }' "$data/aliases.csv")
questions=("/api/v1/search?$filters" "/programs?$filters" "/es/programs?$filters" "/programs.json?$filters"
  "/api/v1/search?q=$(repeat a 1100)" "/programs?q=$(repeat 'research+' 122)"
  "/api/v1/search?q=$(repeat 'research+' 122)&limit=1&offset=1" "/api/v1/details?$details"
  "/api/v1/programs/$program?x=1&lang=es&locale=en" "/api/v1/programs/$program?loc%61le=es" "/api/v1/programs/$program?x=1&lang=es&utm_source=a"
  "/api/v1/programs/$program?locale=en&locale=es" '/suggest?x=1&q=f%65llow&q=grant' '/es/suggest?x=q&q&q=beca' '/suggest?%71=grant&q=key'
  "/api/v1/exports/latest?x=1&format=csv" "/api/v1/organizations/$alias?x=$(repeat x 7000)" "/changes?limit=2&x=1")

for proxy in "${proxies[@]}"; do
  name=${proxy% *} address=${proxy#* }
  for question in "${questions[@]}"; do
    expected=$(ask "${edges[0]}" "$question" --output "$scratch/edge" --write-out '%{http_code}')
    status=$(ask "$address" "$question" --output "$scratch/proxy" --write-out '%{http_code}')
    [[ "$status $expected" =~ ^(200 200|308 308)$ ]] || die "$name answers $status, an edge $expected: ${question:0:80}"
    cmp -s "$scratch/edge" "$scratch/proxy" || die "$name sends another body than an edge: ${question:0:80}"
  done
  for host in DIRECTORY.example directory.example:80 directory.example.; do
    ask "$address" "/programs/$program" --output "$scratch/proxy" --fail || die "$name: Host: $host"
  done
  host=
  printf '%s: %d questions of up to %d bytes are answered\n' "$name" ${#questions[@]} "$((${#filters} + 16))"
done

# Nothing of this changes an answer, so that all of it is one or two requests for each address.
for proxy in "${proxies[@]}"; do
  name=${proxy% *} address=${proxy#* }
  [ "$name" != caddy ] || continue
  costs() { # what, path with a range for curl, most, options of curl…
    local before after statuses
    before=$(reached)
    statuses=$(curl --silent --header "Host: ${host:-directory.example}" --output /dev/null --write-out '%{http_code}\n' "${@:4}" \
      "http://$address$2" | sort | uniq -c | tr -s ' \n' ' ')
    after=$(reached)
    printf '%s: %s: %sreached the edges %d times\n' "$name" "$1" "$statuses" $((after - before))
    [[ "$statuses" =~ ^\ [0-9]+\ 200\ $ ]] && [ $((after - before)) -le "$3" ] || die "$name: $1"
  }
  costs '200 parameters of a page' "/programs/$program?x=[1-200]" 2
  costs '200 parameters of a record' "/api/v1/programs/$program?x=[1-200]" 2
  costs '200 parameters of downloads' '/data/programs.ndjson?[1-200]' 2
  costs '200 parameters of suggestions' '/es/suggest?q=beca&x=[1-200]' 2
  costs '200 HEADs of downloads' '/data/facts.ndjson?[1-200]' 2 --head
  # An address with an escaped `?` is another one than the question, for the cache too.
  for one in '404 %3F' '200 ?'; do
    [ "$(ask "$address" "/programs${one#* }q=key" --output "$scratch/proxy" --write-out '%{http_code}')" = "${one% *}" ] || die "$name: not $one"
  done
  costs '500 cookies' "/api/v1/organizations?_=[1-500]" 2 --header 'Cookie: a=b' --header 'Authorization: Basic YQ=='
  for host in DIRECTORY.example directory.example:80 directory.example.; do
    costs "$host" "/api/v1/organizations?_=[1-20]" 0
  done; host=
done

# Each proxy's calls come from an address of their own.
call='{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'
calls() { # address, from, how many
  curl --silent --output /dev/null --write-out '%{http_code}\n' --interface "$2" --header 'Host: directory.example' \
    --header 'Content-Type: application/json' --header 'Accept: application/json, text/event-stream' \
    --header 'MCP-Protocol-Version: 2025-11-25' --header 'Cookie: a=b' --data "$call" "http://$1/mcp#[1-$3]"
}
for number in "${!proxies[@]}"; do
  name=${proxies[number]% *} address=${proxies[number]#* }
  admitted=$(calls "$address" "127.0.0.$((number + 2))" 80 | grep -c '^200$')
  printf '%s: of 80 calls to /mcp of a client %d are admitted\n' "$name" "$admitted"
  [ "$admitted" = 60 ] || die "$name: two edges admit $admitted calls in a minute"
  for client in $(seq 10 25); do
    [ "$(calls "$address" "127.0.$number.$client" 1)" = 200 ] || die "$name: another client is refused"
  done
done
for admin in "${admins[@]}"; do
  curl --silent "http://$admin/metrics" | grep '_count{.*"/mcp"' >/dev/null || die 'one edge has all clients of /mcp'
done
printf 'all good\n'
