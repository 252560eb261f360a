#include "tests/crash/power_cut.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <random>
#include <sstream>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace ontime::test {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string name;
  std::string key;
  bool is_directory = false;
};

std::string key_of(const fs::path& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &status) != 0) return "";
  return std::to_string(status.stx_ino) + "-" + std::to_string(status.stx_btime.tv_sec) + "-" +
         std::to_string(status.stx_btime.tv_nsec);
}

class PowerCut {
 public:
  PowerCut(fs::path disk, fs::path shadow, std::uint64_t seed)
      : disk_(std::move(disk)), shadow_(std::move(shadow)), random_(seed), keeps_names_(random_() % 2 == 0) {
    for (const auto& entry : fs::recursive_directory_iterator(disk_)) present_[key_of(entry.path())] = entry.path();
    present_[key_of(disk_)] = disk_;
  }

  void run() {
    const fs::path rebuilt = disk_.string() + ".rebuilt";
    rebuild(key_of(disk_), rebuilt);
    fs::remove_all(disk_);
    fs::rename(rebuilt, disk_);
  }

 private:
  void rebuild(const std::string& key, const fs::path& to) {
    fs::create_directory(to);
    for (const Entry& entry : names_of(key)) {
      if (entry.is_directory) {
        rebuild(entry.key, to / entry.name);
      } else {
        write_file(to / entry.name, content_of(entry.key));
      }
    }
  }

  std::vector<Entry> names_of(const std::string& directory) {
    std::vector<Entry> names;
    const auto present = present_.find(directory);
    if (keeps_names_ && present != present_.end()) {
      for (const auto& entry : fs::directory_iterator(present->second)) {
        names.push_back({entry.path().filename(), key_of(entry.path()), entry.is_directory()});
      }
      return names;
    }
    std::istringstream synced(read_file(shadow_ / (directory + ".names")));
    for (Entry entry; std::getline(synced, entry.name, '\t') && std::getline(synced, entry.key, '\t');) {
      std::string kind;
      std::getline(synced, kind);
      entry.is_directory = kind == "d";
      names.push_back(entry);
    }
    return names;
  }

  std::string content_of(const std::string& key) {
    const std::string synced = read_file(shadow_ / key);
    const auto present = present_.find(key);
    const std::uint64_t choice = random_() % 3;
    if (choice == 0 || present == present_.end()) return synced;
    std::string content = read_file(present->second);
    if (choice == 2 && content.size() > synced.size()) {
      content.resize(synced.size() + random_() % (content.size() - synced.size()));
    }
    return content;
  }

  const fs::path disk_;
  const fs::path shadow_;
  std::mt19937_64 random_;
  const bool keeps_names_;
  std::map<std::string, fs::path> present_;
};

}  // namespace

void cut_power(const std::string& disk, const std::string& shadow, std::uint64_t seed) {
  PowerCut(disk, shadow, seed).run();
}

}  // namespace ontime::test
