#!/usr/bin/env bash
# An edge that follows a store on a disk that is nearly full: tests/remote/disk.sh BIN DATA, the folder of the programs and
# a dataset. Needs to mount a file system in memory; ends with 77 where that is not allowed.
set -euo pipefail
bin=$(cd "$1" && pwd)
data=$(cd "$2" && pwd)
work=$(mktemp -d)
edge=
finish() {
  [ -z "$edge" ] || kill "$edge" 2>/dev/null || true
  wait
  umount -l "$work/disk" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
cd "$work"
mkdir disk
mount -t tmpfs -o size=64M tmpfs disk 2>/dev/null || exit 77
die() { printf 'disk: %s\n' "$1" >&2; cat log >&2; exit 1; }

push() { # port: pages differ by their base URL, so that little is shared between generations
  "$bin/opdir" build --data "$data" --out root --base-url "http://127.0.0.1:$1" --as-of 2026-11-21 \
    --quiet >/dev/null 2>&1
  "$bin/opdir" push root "file://$work/store" --key key >/dev/null 2>&1
}
served() { # seconds: whether the edge serves within them what was pushed last
  local deadline=$((SECONDS + $1))
  until cmp -s root/CURRENT disk/served/CURRENT; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.2
  done
}
follow() {
  "$bin/opdir-edge" --snapshot disk/served --source "file://$work/store" --trust "$(cat public)" --poll 1 \
    --listen 127.0.0.1:0 2>log &
  edge=$!
}
"$bin/opdir" keys new key >public
push 8001
size=$(du -sk root | cut -f 1)
follow
served 30 || die 'the first generation is not fetched'

# Two generations fit: older ones make room for the third.
mount -o "remount,size=$((size * 24 / 10))k" disk
push 8002
served 30 || die 'the second generation is not fetched'
push 8003
# The first may still be read when the third comes: then the next attempt, a minute later, has room.
served 90 || die 'an old generation does not make room'

# One fits: it is served on, with one line of log, until there is room.
kill "$edge"
wait "$edge" || true
rm -r disk/served
mount -o "remount,size=$((size * 17 / 10))k" disk
follow
served 30 || die 'the only generation is not fetched'
push 8004
if served 8; then die 'a generation is fetched without room for it'; fi
kill -0 "$edge" || die 'the edge ended'
lines=$(grep -c 'no space' log || true)
[ "$lines" = 1 ] || die "$lines lines about the full disk"
mount -o remount,size=64M disk
served 150 || die 'the edge does not go on once there is room'
printf 'followed over a full disk\n'
