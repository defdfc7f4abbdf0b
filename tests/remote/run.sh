#!/usr/bin/env bash
# Push, pull and following against a server of S3 that others wrote: tests/remote/run.sh BIN DATA [N], the folder of the
# programs, a dataset, and how many generations come while edges are asked: 20, with every fault of a wire, or fewer,
# with the worst of them. Needs Python with moto's server; ends with 77 where that is not.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
data=$(cd "$2" && pwd)
generations=${3:-20}
# What a wire does to one request in so many.
faults=('none 1' 'cut 3' 'stall 5' 'busy 2' 'lose 3' 'any 2' 'busy 1' 'lose 1' 'cut 1')
following=('any 3' 'stall 1' 'busy 1' 'lose 1' 'cut 1')
if [ "$generations" -lt 20 ]; then
  faults=('any 2' 'lose 1') following=('any 3' 'cut 1')
fi
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
    --quiet 2>messages || { cat messages >&2; die 'the dataset does not build'; }
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
[ "$pushed" -le 20 ] && [ "$pulled" -le 20 ] || die 'more than 20 requests'
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

# An edge follows while it is asked: generations come, no answer fails, and each is of the generation that it names.
"$bin/opdir" pull $url root --trust key.pub
mkdir sums
next() { # root: another generation of the same day, and the list of its bodies
  python3 "$here/load.py" change data
  "$bin/opdir" build --data data --out "$1" --base-url http://127.0.0.1:8080 --as-of 2026-11-20 --quiet \
    >built 2>messages || { cat messages >&2; die 'the dataset does not build'; }
  live=$(cat "$1/CURRENT")
  python3 - "$1/generations/$live/site.zip" >"sums/$live" <<'EOF'
import hashlib, sys, zipfile
site = zipfile.ZipFile(sys.argv[1])
for name in site.namelist():
    print(hashlib.sha256(site.read(name)).hexdigest(), name, sep="  ")
EOF
}
serves() { # log: it serves what is live
  for _ in $(seq 300); do
    ! grep -q "serving.*$live" "$1" || return 0
    sleep 0.1
  done
  cat "$1" >&2
  die "an edge does not serve $live"
}
next root
"$bin/opdir" push root $url --key key >/dev/null
follow() { # name, flags…
  local at
  at=$(port)
  # An edge of the same name that ran before has written its own.
  rm -f "log-$1"
  "$bin/opdir-edge" --snapshot "served-$1" --source $url --trust "$(cat public)" --poll 1 --listen "127.0.0.1:$at" \
    --today 2026-11-20 "${@:2}" 2>"log-$1" &
  edge=$! started="$started $!"
  address=http://127.0.0.1:$at
  serves "log-$1"
}
follow calm
python3 "$here/load.py" ask "$address" stop sums >asked-calm &
load=$!
for _ in $(seq "$generations"); do
  next root
  "$bin/opdir" push root $url --key key >/dev/null
  serves log-calm
done
touch stop
wait "$load" || { cat asked-calm log-calm >&2; die 'an answer failed'; }
cat asked-calm

# A wire that cuts, stalls, is busy and loses answers: what a push says is so, nothing wrong comes, and what it could not
# do is done when the wire is well again.
wire=$(port)
echo none 1 >fault
python3 "$here/wire.py" "$wire" "127.0.0.1:$store" fault &
started="$started $!"
direct=$AWS_ENDPOINT
is_live() { "$bin/opdir" pull $url judge --trust key.pub >/dev/null && [ "$(cat judge/CURRENT)" = "$live" ]; }
for fault in "${faults[@]}"; do
  next root
  echo "$fault" >fault
  export AWS_ENDPOINT=http://127.0.0.1:$wire
  pushed=0 pulled=0
  timeout 300 "$bin/opdir" push root $url --key key >said 2>&1 || pushed=$?
  rm -rf other
  AWS_ENDPOINT=$direct is_live && reached=yes || reached=no
  timeout 300 "$bin/opdir" pull $url other --trust key.pub >>said 2>&1 || pulled=$?
  printf '%-8s push ended with %d, live: %s; pull ended with %d\n' "$fault" "$pushed" "$reached" "$pulled"
  case $pushed-$reached in 0-yes | [34]-*) ;; *) cat said >&2; die "a push ended with $pushed, live: $reached" ;; esac
  case $pulled in 0 | 3 | 5) ;; *) cat said >&2; die "a pull ended with $pulled" ;; esac
  [ "$pulled" != 0 ] || "$bin/opdir" verify other >/dev/null
  echo none 1 >fault
  "$bin/opdir" push root $url --key key >/dev/null
  "$bin/opdir" pull $url other --trust key.pub >/dev/null
  cmp root/CURRENT other/CURRENT
  "$bin/opdir" verify other >/dev/null
done
rm stop
follow wire
python3 "$here/load.py" ask "$address" stop sums >asked-wire &
load=$!
for fault in "${following[@]}"; do
  echo "$fault" >fault
  next root
  AWS_ENDPOINT=$direct "$bin/opdir" push root $url --key key >/dev/null
  sleep 5
done
echo none 1 >fault
serves log-wire
touch stop
wait "$load" || { cat asked-wire log-wire >&2; die 'an answer failed, or was wrong'; }
cat asked-wire
export AWS_ENDPOINT=$direct

# An edge comes back by itself: a damaged folder is repaired at a start, and a pull repairs what `verify` rejects.
follow healing
kill "$edge"
wait "$edge" || true
archive=served-healing/generations/$live/site.zip
chmod u+w "$archive"
truncate -s -1 "$archive"
rm "served-healing/generations/$live/changes.bin"
follow healing
"$bin/opdir" verify served-healing >/dev/null
"$bin/opdir" pull $url other --trust key.pub >/dev/null
archive=other/generations/$live/site.zip
chmod u+w "$archive"
printf '\1\2\3' | dd of="$archive" bs=1 seek=1000 conv=notrunc status=none
! "$bin/opdir" verify other >/dev/null 2>&1 || die 'a damaged archive is not noticed'
"$bin/opdir" pull $url other --trust key.pub >/dev/null
"$bin/opdir" verify other >/dev/null

# One wrong byte in the store: all else is fetched once, then CURRENT is polled, until a restart.
python3 "$here/load.py" flip "$AWS_ENDPOINT"
"$bin/opdir-edge" --snapshot served-wrong --source $url --trust "$(cat public)" --poll 1 --listen 127.0.0.1:0 2>log-wrong &
edge=$! started="$started $!"
timeout 10 sh -c 'until grep -q "is not what was pushed" log-wrong; do sleep 0.1; done' || true
# Other edges still poll CURRENT.
fetches() { grep '" [0-9]' requests | grep -vc /CURRENT || true; }
before=$(fetches)
sleep 10
fetched=$(($(fetches) - before))
kill "$edge"
wait "$edge" || true
python3 "$here/load.py" flip "$AWS_ENDPOINT"
follow wrong
printf 'a wrong byte: %d requests in 10 s beside those for CURRENT\n' "$fetched"
[ "$fetched" -le 10 ] || die 'a wrong byte costs more than polls'

# An edge serves the whole site without its store.
follow alone
kill "$edge"
wait "$edge" || true
AWS_ENDPOINT=http://127.0.0.1:1 follow alone
for path in '' robots.txt sitemap.xml api/v1/openapi.json; do
  python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' "$address/$path" || die "no /$path without the store"
done

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
