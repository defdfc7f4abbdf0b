# What the scripts here have in common that put real servers before a real edge: sourced, not run. $bin is the folder of
# the programs ($OPDIR_BIN), $scratch a folder of their own; what is started goes into $started and ends with the script.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bin=${OPDIR_BIN:-${CARGO_TARGET_DIR:-target}/debug}
PATH=$PATH:/usr/sbin:/usr/local/sbin

scratch=$(mktemp -d)
# nginx reads as another user where it is started by root.
chmod 755 "$scratch"
started=()
finish() {
  [ ${#started[@]} = 0 ] || kill "${started[@]}" 2>/dev/null || true
  wait
  rm -rf "$scratch"
}
trap finish EXIT
die() { printf '%s: %s\n' "$(basename "$0" .sh)" "$1" >&2; exit 1; }
answers() { # address
  for _ in $(seq 600); do
    (exec 3<>"/dev/tcp/${1%:*}/${1#*:}") 2>/dev/null && return
    sleep 0.1
  done
  die "nothing answers at $1"
}

publish() { # flags…: $data, else the sample, as $scratch/site
  if [ -z "${data:-}" ]; then
    data=$scratch/data
    "$bin/opdir" init --sample "$data" >/dev/null
  fi
  "$bin/opdir" build --data "$data" --out "$scratch/site" --base-url https://directory.example --quiet "$@" \
    >/dev/null 2>"$scratch/messages" || { cat "$scratch/messages" >&2; die 'the data does not build'; }
}

serve() { # address, flags…: an edge with $scratch/site, whose number is $edge
  "$bin/opdir-edge" --snapshot "$scratch/site" --listen "$1" "${@:2}" 2>"$scratch/log" &
  edge=$!
  started+=("$edge")
  answers "$1"
}

start_nginx() { # settings here, address, places that differ, for sed…
  sed -e "s/listen 80;/listen $2;/" "${@:3}" "edge/deploy/$1" >"$scratch/site.conf"
  cat >"$scratch/nginx.conf" <<END
daemon off;
user $(id -un);
pid $scratch/nginx.pid;
error_log $scratch/nginx.log;
events {}
http {
    access_log off;
    include $scratch/site.conf;
}
END
  nginx -c "$scratch/nginx.conf" -e "$scratch/nginx.log" &
  started+=($!)
  answers "$2"
}
