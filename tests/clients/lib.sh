# What the scripts here share: they install packages of others into $work, and try one after the other.
# To be sourced, with $work set.

limit() { # seconds command…
  if command -v timeout >/dev/null; then timeout "$@"; else shift && "$@"; fi
}
# Installs once for each list of what is wanted, so that a broken attempt is not taken for a good one.
once() { # name, what is wanted, command…
  [ "$(cat "$work/$1.installed" 2>/dev/null)" = "$2" ] && return
  if limit 300 "${@:3}" >"$work/$1.log" 2>&1; then echo "$2" >"$work/$1.installed"; else return 77; fi
}
has_python() { python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; }
python() { # folder requirement…
  once "$1" "${*:2}" bash -c 'python3 -m venv --clear "$1" && "$1/bin/pip" install --quiet "${@:2}"' - "$work/$1" "${@:2}"
}

failed=0
try() { # name command…
  local name=$1 log
  log=$work/$(tr ' /' '__' <<<"$name").log
  shift
  if limit 600 "$@" >"$log" 2>&1; then
    echo "  ok  $name"
  else
    echo "  FAILED  $name; the end of $log:"
    tail -n 20 "$log"
    failed=1
  fi
}
