#include "common/base/spawning.h"

#include <csignal>

#include "common/base/environment.h"

namespace ontime {

Spawning::Spawning(pid_t group) {
  posix_spawn_file_actions_init(&actions_);
  posix_spawnattr_init(&attributes_);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes_, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes_, &signals);
  posix_spawnattr_setpgroup(&attributes_, group);
  posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

Spawning::~Spawning() {
  posix_spawnattr_destroy(&attributes_);
  posix_spawn_file_actions_destroy(&actions_);
}

Spawning& Spawning::give(int ours, int theirs) {
  posix_spawn_file_actions_adddup2(&actions_, ours, theirs);
  return *this;
}

Spawning& Spawning::open(int theirs, const char* path, int flags, mode_t mode) {
  posix_spawn_file_actions_addopen(&actions_, theirs, path, flags, mode);
  return *this;
}

Spawning& Spawning::close_from(int first) {
  posix_spawn_file_actions_addclosefrom_np(&actions_, first);
  return *this;
}

bool Spawning::enter(const char* directory) { return posix_spawn_file_actions_addchdir_np(&actions_, directory) == 0; }

int Spawning::start(std::vector<std::string> words, std::vector<std::string> environment, pid_t& pid) const {
  return posix_spawnp(&pid, words.front().c_str(), &actions_, &attributes_, pointers_to(words).data(),
                      pointers_to(environment).data());
}

}  // namespace ontime
