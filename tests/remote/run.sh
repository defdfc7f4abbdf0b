#!/usr/bin/env bash
# Push, pull and following against a server of S3 that others wrote: tests/remote/run.sh BIN DATA, the folder of the
# programs and a dataset. Needs Python with moto's server; ends with 77 where that is not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
data=$(cd "$2" && pwd)
python3 -c 'import moto.server' 2>/dev/null || exit 77

work=$(mktemp -d)
started=
finish() {
  for process in $started; do kill "$process" 2>/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
die() { printf 'remote: %s\n' "$1" >&2; exit 1; }
cd "$work"

port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
store=$(port)
python3 -m moto.server -H 127.0.0.1 -p "$store" >requests 2>&1 &
started="$started $!"
export AWS_ACCESS_KEY_ID=nobody AWS_SECRET_ACCESS_KEY=nothing AWS_REGION=us-east-1
export AWS_ENDPOINT=http://127.0.0.1:$store AWS_ALLOW_HTTP=true
python3 "$here/load.py" make "$AWS_ENDPOINT/bucket" || die 'the server does not answer'
asked() { grep -c '" [0-9]' requests; }
url=s3://bucket/site

day=1
build() { # root
  "$bin/opdir" build --data data --out "$1" --base-url http://127.0.0.1:8080 --as-of "2026-11-$(printf '%02d' "$day")" \
    --layout pack --compress none --quiet 2>messages || { cat messages >&2; die 'the dataset does not build'; }
  day=$((day + 1))
}
cp -r "$data" data
chmod -R u+w data
"$bin/opdir" keys new key >public
build root >/dev/null
"$bin/opdir" push root $url --key key
"$bin/opdir" pull $url other --trust key.pub
"$bin/opdir" verify other
cmp root/CURRENT other/CURRENT

# One record is another: what travels.
python3 "$here/load.py" change data
day=$((day - 1))
build root >/dev/null
before=$(asked)
"$bin/opdir" push root $url --key key | tee said
pushed=$(($(asked) - before)) before=$(asked)
"$bin/opdir" pull $url other --trust key.pub | tee -a said
pulled=$(($(asked) - before))
printf 'one record changed: %d requests to push, %d to pull\n' "$pushed" "$pulled"
[ "$pushed" -le 12 ] && [ "$pulled" -le 12 ] || die 'more than 12 requests'
cmp root/CURRENT other/CURRENT

# Eight publishers, each upon what is live: one wins, the others say so.
for n in 1 2 3 4 5 6 7 8; do
  cp -a root "root$n"
  build "root$n" >/dev/null
done
pids=
for n in 1 2 3 4 5 6 7 8; do
  "$bin/opdir" push "root$n" $url --key key >"won$n" 2>"lost$n" &
  pids="$pids $!"
done
won=0 lost=0
for pid in $pids; do
  code=0
  wait "$pid" || code=$?
  case $code in
    0) won=$((won + 1)) ;;
    6) lost=$((lost + 1)) ;;
    *) cat lost? >&2; die "a publisher ended with $code" ;;
  esac
done
printf 'eight publishers: %d won, %d lost\n' "$won" "$lost"
[ "$won" = 1 ] && [ "$lost" = 7 ] || die 'not one winner'

# An edge follows while it is asked: five generations come, and no answer fails.
"$bin/opdir" pull $url root --trust key.pub
edge=$(port)
"$bin/opdir-edge" --snapshot served --source $url --trust "$(cat public)" --poll 1 --listen "127.0.0.1:$edge" \
  --today 2026-11-20 2>log &
started="$started $!"
python3 "$here/load.py" ask "http://127.0.0.1:$edge" stop >asked &
load=$!
for _ in 1 2 3 4 5; do
  build root >/dev/null
  "$bin/opdir" push root $url --key key >/dev/null
  live=$(cat root/CURRENT)
  for _ in $(seq 300); do
    ! grep -q "serving a new generation.*$live" log || break
    sleep 0.1
  done
  grep -q "serving.*$live" log || { cat log >&2; die "the edge does not serve $live"; }
done
touch stop
wait "$load" || { cat asked log >&2; die 'an answer failed'; }
cat asked

# Old generations go, what is live stays whole.
"$bin/opdir" gc $url --key key --keep 1 --days 0
"$bin/opdir" pull $url new --trust key.pub
"$bin/opdir" verify new

# What goes wrong, and how it ends.
ends() { # code, words, command…
  local code=0
  "${@:3}" >out 2>&1 || code=$?
  [ "$code" = "$1" ] && grep -q "$2" out || { cat out >&2; die "${*:3} ended with $code, expected $1 and: $2"; }
}
ends 3 'nothing was pushed here' "$bin/opdir" pull s3://bucket/nothing none --trust key.pub
ends 4 'no such bucket' "$bin/opdir" push root s3://no-such-bucket/site --key key
AWS_ENDPOINT=http://127.0.0.1:1 ends 3 'check the address' "$bin/opdir" pull $url none --trust key.pub
printf 'all good\n'
