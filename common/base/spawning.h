#pragma once
// How programs are started: each in a process group, with no signal blocked and all of them with their usual effects.

#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace ontime {

// What a program finds when it starts. The steps on descriptors are done in the order in which they are asked for.
class Spawning {
 public:
  // `group`: that it joins; 0: one of its own.
  explicit Spawning(pid_t group = 0);
  ~Spawning();
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  // `theirs` is what `ours` is, also if that is one and the same and closes on exec.
  Spawning& give(int ours, int theirs);
  Spawning& open(int theirs, const char* path, int flags, mode_t mode = 0);
  Spawning& close_from(int first);
  // False: this C library cannot (packaging/glibc/supplement.c), and nothing is changed.
  bool enter(const char* directory);

  // `words` begin with the program; a bare name is looked for in $PATH. 0 or errno. Any thread.
  int start(std::vector<std::string> words, std::vector<std::string> environment, pid_t& pid) const;

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace ontime
