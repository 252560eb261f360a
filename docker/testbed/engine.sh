# A Docker engine for the testbed: the one that answers already or, when asked for, one of our own in the testbed's
# directory. Sourced by scripts/testbed. Sets DOCKER_HOST for our own.
# shellcheck shell=bash

engine=$state/engine  # of our own engine: socket, data, process id, log

answers() { timeout 20 docker info >/dev/null 2>&1; }

# What cannot be had here is no failure: who calls may skip what needs it.
no_containers() {
  echo "testbed: $*" >&2
  exit 3
}

own_engine_runs() {
  local pid
  pid=$(cat "$engine/docker.pid" 2>/dev/null) && tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$engine/"
}

find_engine() {
  if own_engine_runs; then export DOCKER_HOST=unix://$engine/docker.sock; fi
  command -v docker >/dev/null && answers
}

# 1.29 and 2 take the same files.
compose() {
  if docker compose version >/dev/null 2>&1; then docker compose "$@"; else docker-compose "$@"; fi
}
has_compose() { command -v docker-compose >/dev/null || docker compose version >/dev/null 2>&1; }

# It ends with `testbed down`, and nothing of it lies outside the testbed's directory but a socket of containerd.
start_engine() {
  local pid
  [ "$(id -u)" -eq 0 ] || no_containers "no Docker engine answers, and only root can start one."
  command -v dockerd >/dev/null || no_containers "no Docker engine answers, and dockerd is not installed; see --install."
  mkdir -p "$engine"
  say "Starting a Docker engine in $engine"
  export DOCKER_HOST=unix://$engine/docker.sock
  setsid dockerd --host "$DOCKER_HOST" --data-root "$engine/data" --exec-root "$engine/run" --bridge none \
    --pidfile "$engine/docker.pid" >"$engine/log" 2>&1 </dev/null &
  pid=$!
  for ((tries = 0; tries < 150; tries++)); do
    if answers; then return; fi
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
  kill "$pid" 2>/dev/null || true
  tail -n 5 "$engine/log" >&2
  no_containers "the Docker engine does not start (its last words are above, all of them in $engine/log)."
}

end_own_engine() {
  own_engine_runs || return 0
  local pid
  pid=$(cat "$engine/docker.pid")
  say "Ending the Docker engine in $engine"
  kill "$pid"
  for ((tries = 0; tries < 150; tries++)); do
    if ! kill -0 "$pid" 2>/dev/null; then
      umount "$engine"/run/netns/* 2>/dev/null || true
      return
    fi
    sleep 0.2
  done
  echo "testbed: the Docker engine, process $pid, does not end" >&2
  return 1
}

# need_engine INSTALL: an engine answers afterwards, and there is a compose; INSTALL is yes or no.
need_engine() {
  if ! find_engine || ! has_compose; then
    [ "$1" != yes ] || scripts/install-dependencies --containers || no_containers "what is needed cannot be installed."
    find_engine || start_engine
    has_compose || no_containers "there is neither docker-compose nor 'docker compose'; see --install."
  fi
}
