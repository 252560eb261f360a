// ontime-runner: started by ontime-worker, not by people. `--launcher FD` serves the Unix socket FD, which must be
// open. `--load-network` loads at once what speaks with stores and web servers, as a confined runner might not be able
// to. What follows confines the runners, see worker/confine/confinement.h.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/units.h"
#include "common/base/version.h"
#include "common/store/network.h"
#include "worker/runner/launcher.h"

namespace {

std::optional<int> socket_number(std::string_view text) {
  const auto fd = ontime::number_in<int>(text);
  struct stat file {};
  return fd && ::fstat(*fd, &file) == 0 && S_ISSOCK(file.st_mode) ? fd : std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option == "--help") {
    std::puts("ontime-runner --launcher FD: runs attempts for ontime-worker, which starts it; not for people.");
    return 0;
  }
  if (option == "-V" || option == "--version") {
    std::puts(ontime::version_of("ontime-runner").c_str());
    return 0;
  }
  if (option != "--launcher" || argc < 3) {
    std::fputs("ontime-runner: expected --launcher FD; it is started by ontime-worker\n", stderr);
    return 2;
  }
  const auto fd = socket_number(argv[2]);
  if (!fd) {
    std::fprintf(stderr, "ontime-runner: --launcher %s is no open socket; it is started by ontime-worker\n", argv[2]);
    return 2;
  }
  ::fcntl(*fd, F_SETFD, FD_CLOEXEC);
  char** rest = argv + 3;
  if (rest != argv + argc && std::string_view(*rest) == "--load-network") {
    ++rest;
    if (const ontime::Status status = ontime::store::load_network(); !status) {
      std::fprintf(stderr, "ontime-runner: %s\n", status.error().message.c_str());
      return 1;
    }
  }
  auto confinement = ontime::worker::from_arguments({rest, argv + argc});
  if (!confinement) {
    std::fprintf(stderr, "ontime-runner: %s; it is started by ontime-worker\n", confinement.error().message.c_str());
    return 2;
  }
  return ontime::worker::Launcher(ontime::Descriptor(*fd), std::move(*confinement)).run();
}
