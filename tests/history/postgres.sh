# SPDX-License-Identifier: Apache-2.0
# A PostgreSQL server of the tests' own: its own data, its own socket folder, no port unless POSTGRES_OPTIONS names one. initdb refuses root, so it runs as the user
# postgres then.
#   postgres_start FOLDER    sets $postgres_url; false when Debian's package is not installed
#   postgres_restart FOLDER, postgres_stop FOLDER

postgres_programs() { ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1; }

postgres_as() { # postgres_as COMMAND...
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=postgres --regid=postgres --init-groups env -C / HOME=/tmp PATH="$PATH" LC_ALL=C "$@"
  else
    env LC_ALL=C "$@"
  fi
}

postgres_launch() { # postgres_launch FOLDER
  # fsync stays on: what is tested is that a commit survives
  postgres_as "$(postgres_programs)/pg_ctl" -D "$1/data" -l "$1/log" -w -t 120 \
    -o "-k $1/socket -c listen_addresses='' -c unix_socket_permissions=0777 -c max_connections=60 $(cat "$1/options")" start >/dev/null
}

postgres_start() {
  local folder=$1
  [ -n "$(postgres_programs)" ] || return 1
  mkdir -p "$folder/socket"
  printf '%s' "${POSTGRES_OPTIONS:-}" >"$folder/options"
  chmod 755 "$folder"
  if [ "$(id -u)" -eq 0 ]; then chown -R postgres "$folder"; fi
  postgres_as "$(postgres_programs)/initdb" -D "$folder/data" -U ttmem -A trust -E UTF8 --no-locale >"$folder/initdb.log" 2>&1 || return 1
  postgres_launch "$folder" || return 1
  # the folder of the socket as the host of a URL: every / as %2F
  postgres_url="postgresql://ttmem@$(sed 's,/,%2F,g' <<<"$folder/socket")/postgres"
}

postgres_stop() { [ ! -d "$1/data" ] || postgres_as "$(postgres_programs)/pg_ctl" -D "$1/data" -m fast -w -t 120 stop >/dev/null 2>&1; }
postgres_kill() { postgres_as "$(postgres_programs)/pg_ctl" -D "$1/data" -m immediate -w -t 120 stop >/dev/null 2>&1; } # as if the machine were gone
postgres_restart() { postgres_stop "$1" && postgres_launch "$1"; }
