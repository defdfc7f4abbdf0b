#!/usr/bin/env bash
# Puts what `opdir export` writes on a real nginx with static.conf, and asks it and a real edge for the same addresses,
# with crawl.py: all of the sitemaps and one for every file, $REQUESTS of them at most. Takes $DATA, a dataset, else the
# sample; $OPDIR_BIN, the folder of the programs; $PORT and the one after it must be free. Without nginx or Python it ends
# with 77.
set -euo pipefail
# shellcheck source=edge/deploy/shared.sh
. "$(dirname "$0")/shared.sh"
for program in nginx python3; do
  command -v "$program" >/dev/null || { printf 'there is no %s\n' "$program"; exit 77; }
done
port=${PORT:-18280} requests=${REQUESTS:-2000} data=${DATA:-}
host=127.0.0.1:$((port + 1)) origin=127.0.0.1:$port

publish --as-of 2026-11-21
"$bin/opdir" export "$scratch/site" "$scratch/public" >/dev/null
(cd "$scratch/public" && sha256sum --check --quiet SHA256SUMS) || die 'what was exported is not what the snapshot lists'
serve "$origin" --today 2026-11-21
start_nginx static.conf "$host" -e "s#/srv/directory#$scratch/public#"
python3 edge/deploy/crawl.py "$scratch/public" "$host" "$origin" "$requests"
