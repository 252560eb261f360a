#include "common/app/keeper.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace ontime::app {
namespace {

namespace fs = std::filesystem;

// Why others may change what lies there; empty if they may not.
std::string weakness(const struct stat& file, const Keeper& keeper) {
  struct stat program {};
  const bool has_program = ::stat("/proc/self/exe", &program) == 0;
  const bool is_owned =
      file.st_uid == 0 || file.st_uid == keeper.user || (has_program && file.st_uid == program.st_uid);
  if (!is_owned) return "belongs to user " + std::to_string(file.st_uid);
  const bool is_shared = S_ISDIR(file.st_mode) && (file.st_mode & S_ISVTX) != 0;
  if (is_shared) return {};
  if ((file.st_mode & S_IWOTH) != 0) return "may be written by everybody";
  const bool is_own_group =
      file.st_gid == 0 || file.st_gid == keeper.group || (has_program && file.st_gid == program.st_gid);
  if ((file.st_mode & S_IWGRP) != 0 && !is_own_group) {
    return "may be written by the group " + std::to_string(file.st_gid);
  }
  return {};
}

Status check(const fs::path& path, const std::string& application, const Keeper& keeper) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) {
    return bad_input("cannot examine the application " + application + ": " + std::strerror(errno));
  }
  const std::string why = weakness(file, keeper);
  if (why.empty()) return {};
  return bad_input("the application " + application + " is not run, because others could change it: " + path.string() +
                   " " + why + "; give it to root or to the user that runs it, and take the right to write from others");
}

}  // namespace

Status check_kept(const std::string& path, const Keeper& keeper) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return bad_input("cannot examine the application " + path + ": " + error.message());
  for (const fs::path& place : {real, real.parent_path(), fs::absolute(path, error).parent_path()}) {
    if (Status status = check(place, path, keeper); !status) return status;
  }
  return {};
}

}  // namespace ontime::app
