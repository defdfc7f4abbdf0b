#!/usr/bin/env bash
# Has a cache drop what a publication changed. Reads the list of `opdir diff ROOT --format purge`:
#   opdir diff ROOT --format purge | purge.sh varnish http://127.0.0.1:6081
#   opdir diff ROOT --format purge | purge.sh nginx http://127.0.0.1
# The cache must take PURGE (and Varnish BAN) from this machine, as varnish.vcl and nginx.conf here say. Needs curl.
set -euo pipefail
kind=${1:-} cache=${2:-}
case $kind in
  varnish) codings=(identity) ;;
  # Each is kept under a key of its own.
  nginx) codings=(identity gzip) ;;
  *)
    printf 'usage: opdir diff ROOT --format purge | %s varnish|nginx http://CACHE\n' "${0##*/}" >&2
    exit 2
    ;;
esac

# One run of curl for all: addresses as options, a request each.
list=$(mktemp)
trap 'rm -f "$list"' EXIT
addresses=0 tags=0
request() { # method, path, header…
  [ ! -s "$list" ] || printf 'next\n' >>"$list"
  printf 'request = "%s"\nurl = "%s%s"\noutput = "/dev/null"\nfail\nsilent\nshow-error\nmax-time = 30\n' "$1" "${cache%/}" "$2" >>"$list"
  printf 'header = "%s"\n' "${@:3}" >>"$list"
}
while read -r what name; do
  case $what in
    url)
      host=${name#*://} path=/
      [[ $host != */* ]] || path=/${host#*/}
      for coding in "${codings[@]}"; do
        request PURGE "$path" "Host: ${host%%/*}" "Accept-Encoding: $coding"
      done
      addresses=$((addresses + 1))
      ;;
    tag)
      [ "$kind" = varnish ] || continue
      request BAN / "X-Tag: $name"
      tags=$((tags + 1))
      ;;
  esac
done
[ ! -s "$list" ] || curl --no-progress-meter --parallel --parallel-max 16 --config "$list"
printf 'purged: %d addresses, %d tags\n' "$addresses" "$tags"
