#!/usr/bin/env bash
# Puts a real Varnish and a real nginx, with the settings here, before a real edge; publishes a change; and shows
# that each serves the old answer until purge.sh gets the list, and then the new one; and that clients which are not
# listed may not purge. Takes $OPDIR_BIN, the folder of the programs; $PORT and the two after it must be free.
# Without curl, or without both caches, it ends with 77.
set -euo pipefail
command -v curl >/dev/null || { printf 'there is no curl\n'; exit 77; }
# shellcheck source=edge/deploy/shared.sh
. "$(dirname "$0")/shared.sh"
port=${PORT:-18180}
origin=127.0.0.1:$port

publish
serve "$origin" --trusted-proxy 127.0.0.1/32 --surrogate-keys xkey

caches=()
if command -v varnishd >/dev/null; then
  cache=127.0.0.1:$((port + 1))
  sed -e "s/.port = \"8080\"/.port = \"$port\"/" edge/deploy/varnish.vcl >"$scratch/varnish.vcl"
  varnishd -F -j none -n "$scratch/varnish" -a "$cache" -f "$scratch/varnish.vcl" -s malloc,64m >"$scratch/varnish.log" 2>&1 &
  started+=($!)
  answers "$cache"
  caches+=("varnish $cache")
else
  printf 'left out: there is no Varnish here\n'
fi
if command -v nginx >/dev/null; then
  cache=127.0.0.1:$((port + 2))
  start_nginx nginx.conf "$cache" -e "s/127.0.0.1:8080/$origin/" -e "s#/var/cache/nginx/opdir#$scratch/cache#"
  caches+=("nginx $cache")
else
  printf 'left out: there is no nginx here\n'
fi
[ ${#caches[@]} != 0 ] || exit 77

ask() { # address, path, coding
  curl --silent --show-error --compressed --header 'Host: directory.example' --header "Accept-Encoding: $3" "http://$1$2"
}
has() { # address, path, coding, words
  local text
  text=$(ask "$1" "$2" "$3") && [[ $text == *"$4"* ]]
}
old='National Science Foundation' new='Foundation That Was Renamed'
pages=(/organizations/national-science-foundation '/api/v1/organizations/national-science-foundation' '/es/organizations/national-science-foundation')
search='/api/v1/organizations?limit=100'
for cache in "${caches[@]}"; do
  for page in "${pages[@]}" "$search"; do
    for coding in identity gzip; do
      has "${cache#* }" "$page" "$coding" "$old" || die "$cache: $page does not say what the edge says"
    done
  done
done
sed -i "s/$old/$new/" "$data/organizations.csv"
publish
kill -HUP "$edge"
for _ in $(seq 100); do
  has "$origin" /organizations/national-science-foundation identity "$new" && break
  sleep 0.1
done
has "$origin" /organizations/national-science-foundation identity "$new" || die 'the edge does not take what was published'
# What was live before is gone: the list is of the publication, not of what can still be compared.
"$bin/opdir" gc "$scratch/site" --keep 1 --days 0 >/dev/null
"$bin/opdir" diff "$scratch/site" --format purge >"$scratch/list"
for cache in "${caches[@]}"; do
  kind=${cache% *} address=${cache#* }
  has "$address" /organizations/national-science-foundation identity "$old" || die "$kind keeps nothing"
  for method in PURGE BAN; do
    [ "$kind $method" != 'nginx BAN' ] || continue
    status=$(curl --silent --output /dev/null --write-out '%{http_code}' --interface 127.0.0.2 --request "$method" \
      --header 'Host: directory.example' --header 'X-Tag: all' "http://$address/organizations/national-science-foundation")
    [ "$status" = 403 ] || die "$kind answers $status to a $method of a stranger"
  done
  has "$address" /organizations/national-science-foundation identity "$old" || die "$kind dropped what a stranger named"
  printf '%s: ' "$kind"
  bash edge/deploy/purge.sh "$kind" "http://$address" <"$scratch/list"
  for page in "${pages[@]}"; do
    for coding in identity gzip; do
      [ "$(ask "$address" "$page" "$coding")" = "$(ask "$origin" "$page" "$coding")" ] \
        || die "$kind: $page is still the old one ($coding)"
    done
  done
  has "$address" "${pages[0]}" identity "$new" || die "$kind: the page does not have the new name"
  [ "$kind" = nginx ] || has "$address" "$search" identity "$new" || die "$kind: lists are still the old ones"
done
printf 'all good\n'
