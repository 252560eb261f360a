# The image of a node: compiled inside, or from programs that are built already. Sourced by scripts/testbed.
# shellcheck shell=bash

base=debian:bookworm-slim

# A builder that is asked for the network of this machine reaches Debian's packages wherever this machine does.
build_image() {
  local log=$1
  shift
  docker buildx version >/dev/null 2>&1 || export DOCKER_BUILDKIT=0
  docker build --network=host ${http_proxy:+--build-arg http_proxy} ${https_proxy:+--build-arg https_proxy} "$@" \
    >"$log" 2>&1 || failed "The image cannot be built" "$log"
}

# Where no registry can be reached, Debian's own packages make the same.
need_base() {
  if docker image inspect "$base" >/dev/null 2>&1 || timeout 60 docker pull -q "$base" >/dev/null 2>&1; then return; fi
  say "No registry can be reached: making $base with debootstrap"
  if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    no_containers "$base cannot be pulled, and to make it takes root and debootstrap."
  fi
  local root=$state/root log=$state/debootstrap.log
  rm -rf "$root"
  debootstrap --variant=minbase bookworm "$root" >"$log" 2>&1 || {
    tail -n 5 "$log" >&2
    no_containers "$base can neither be pulled nor made (the end of $log is above)."
  }
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  tar -C "$root" -c . | docker import - "$base" >/dev/null
  rm -rf "$root"
}

compile_image() {
  say "Compiling the image ontime; the first time this takes many minutes (log: $state/image.log)"
  build_image "$state/image.log" -f docker/Dockerfile -t ontime .
}

# install_image BUILD_DIR
install_image() {
  local tree=$state/tree
  # shellcheck source=/dev/null
  [ "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" = bookworm ] ||
    no_containers "programs that are built here do not fit into the image, which is Debian 12; leave out --built."
  say "Making the image ontime of the programs in $1"
  build_image "$state/runtime.log" -f docker/Dockerfile --target runtime -t ontime-runtime .
  rm -rf "$tree"
  { cmake --install "$1" --prefix "$tree" --component runtime --strip &&
    cmake --install "$1" --prefix "$tree" --component lab --strip; } >"$state/image.log" 2>&1 ||
    failed "The programs in $1 cannot be installed: are they all built?" "$state/image.log"
  build_image "$state/image.log" -f docker/Dockerfile.installed -t ontime "$tree"
  rm -rf "$tree"
}
