#pragma once
// Which mount a path leads to, without touching the mount: one that hangs must not be asked.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ontime::master {

class Mounts {
 public:
  // Of this process, as the kernel lists them (/proc/self/mountinfo): no file system is asked.
  static Mounts of_this_process();
  explicit Mounts(std::vector<std::string> points);

  // The mount point that an absolute path lies below by its name; "/" if none does. Links in it are not followed.
  std::string of(std::string_view path) const;

  // Where the path leads by the links on it that lie on its own mount, up to the first that leads to another one; a
  // path whose mount is the same in the end is returned as it is found then. Reads links of that mount only. Any thread
  // that may hang with that mount.
  std::string follow(const std::string& path) const;

 private:
  std::vector<std::string> points_;
};

}  // namespace ontime::master
