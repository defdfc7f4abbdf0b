#!/bin/sh
# Runs the fuzz targets one after the other, up to the first that finds something: run.sh [SECONDS [TARGET…]];
# 60 seconds each, and all of them, if nothing else is said.
# Needs a nightly toolchain and cargo-fuzz. What they found stays in target/fuzz/found, what they learnt in
# target/fuzz/corpus, where the next run goes on.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-60}
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- query understand path headers manifest index mcp

work=target/fuzz
cargo +nightly fuzz build --fuzz-dir tests/fuzz --target-dir "$work"
TMPDIR=$(mktemp -d)
trap 'rm -rf "$TMPDIR"' EXIT
# The C library that inflates for the checks has tables of the same name in two files.
export TMPDIR ASAN_OPTIONS=detect_odr_violation=0
for target; do
  printf '\n== %s\n' "$target"
  mkdir -p "$work/corpus/$target" "$work/found"
  "$work"/*/release/"$target" "$work/corpus/$target" -dict=tests/fuzz/words.dict -artifact_prefix="$work/found/$target-" \
    -max_total_time="$seconds" -max_len=12000 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0
done
