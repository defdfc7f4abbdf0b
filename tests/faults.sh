#!/usr/bin/env bash
# Kills the real publisher at one system call after another, and has them fail with ENOSPC and EIO. Each time
# the live snapshot must verify and be the old one or the new one, and the next build must succeed.
# Needs strace. $POINTS is how many calls of each kind are hit, spread over all that touch files.
set -euo pipefail
cd "$(dirname "$0")/.."
points=${POINTS:-200}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
target=${CARGO_TARGET_DIR:-target}
cargo build --quiet --package generator --bins
cargo build --quiet --manifest-path tests/instruments/Cargo.toml --bin synth --target-dir "$target"
# Copies, so that a build meanwhile changes nothing.
mkdir "$scratch/bin" && cp "$target"/debug/{opdir,synth} "$scratch/bin"
cd "$scratch"
bin=$scratch/bin
calls=openat,openat2,read,pread64,write,pwrite64,mkdir,link,linkat,rename,unlink,unlinkat,rmdir,fsync,syncfs,flock,utimensat,getdents64

build() { # root, data
  "$bin/opdir" build --base-url http://127.0.0.1:8080 --data "$2" --out "$1" --as-of 2026-11-21 --jobs 1 --quiet
}
live() { cat "$1/CURRENT"; }
die() { printf 'faults: FAILED: %s\n' "$1" >&2; exit 1; }

"$bin/synth" --programs 12 --seed 1 --out before >/dev/null
"$bin/synth" --programs 12 --seed 2 --out after >/dev/null
build root before >/dev/null 2>&1
old=$(live root)
cp -al root whole
strace -f -qq -e trace="$calls" -o trace "$bin/opdir" build --base-url http://127.0.0.1:8080 --data after --out whole --as-of 2026-11-21 \
  --jobs 1 --quiet >/dev/null 2>&1
new=$(live whole)
# strace counts each call of each thread by itself. What the first thread does, which reads the dataset, is
# left out: the n-th call of another one is hit where the first makes fewer.
awk '
  { call = $2; sub(/\(.*/, "", call); made[$1, call]++; threads[$1]; seen[call]; if (NR == 1) reader = $1 }
  END {
    for (call in seen) {
      most = 0
      for (thread in threads) if (thread != reader && made[thread, call] > most) most = made[thread, call]
      for (nth = made[reader, call] + 1; nth <= most; nth++) print call, nth
    }
  }' trace | sort -k1,1 -k2,2n >all
total=$(wc -l <all)
awk -v points="$points" -v total="$total" 'int(NR * points / total) > int((NR - 1) * points / total)' all >chosen
printf '%d calls of the publisher, %d of them are hit\n' "$total" "$(wc -l <chosen)"

hit() { # fault, call, which of them
  rm -rf root.now
  cp -al root root.now
  local code=0
  { strace -f -qq -o /dev/null -e trace="$2" -e inject="$2:$1:when=$3" "$bin/opdir" build --base-url http://127.0.0.1:8080 --data after \
    --out root.now --as-of 2026-11-21 --jobs 1 --quiet; } >/dev/null 2>&1 || code=$?
  [ "$code" != 0 ] || survived=$((survived + 1))
  local now
  now=$(live root.now)
  [ "$now" = "$old" ] || [ "$now" = "$new" ] || die "$1 at $2 $3: CURRENT holds $now"
  "$bin/opdir" verify root.now >/dev/null || die "$1 at $2 $3: the live snapshot is damaged"
  build root.now after >/dev/null 2>&1 || die "$1 at $2 $3: the next build fails"
  # A generation that was never live keeps its number; the hash is what counts.
  now=$(live root.now)
  [ "${now#*-}" = "${new#*-}" ] || die "$1 at $2 $3: the next build is $now, not $new"
}

for fault in signal=KILL error=ENOSPC error=EIO; do
  survived=0
  while read -r call nth; do
    hit "$fault" "$call" "$nth"
  done <chosen
  printf '%s: %d calls hit, %d builds went well all the same, 0 snapshots damaged\n' \
    "$fault" "$(wc -l <chosen)" "$survived"
done
