#pragma once
// What programs do with small files and directories, mostly with errors as sentences. All of it goes through disk.h.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/files/disk.h"

namespace ontime::files {

// "Cannot <what> '<path>': <reason of errno>."
Error system_error(std::string_view what, const std::string& path, int problem);

// Writes all of it at that place; the file stands behind it then. 0 or errno.
int write_at(int file, std::uint64_t offset, std::string_view bytes);

// A file with these bytes, made or written over; links are followed. Failed, with a sentence.
Status write_file(const std::string& path, std::string_view bytes, mode_t mode = 0666);

// The file has these bytes then, or is as it was: they go into another file first, `unfinished`, which is synced and
// then renamed. Failed, with a sentence.
Status replace_file(const std::string& path, const std::string& unfinished, std::string_view bytes, mode_t mode);

// A directory, and those above it that are missing. 0 or errno.
int make_directories(const std::string& path);

// A file, or a directory with everything in it, however deep that is: four descriptors do. No link is followed,
// whatever somebody puts there meanwhile; ENOTEMPTY if he does not stop. 0, also if there is nothing of that name, or
// an errno that says why something is left. `before_each`: call to the disk that changes something. `names_max`: so
// many names of a directory are kept at a time.
int remove_all(
    const std::string& path, const std::function<void()>& before_each = [] {}, std::size_t names_max = 10'000);

}  // namespace ontime::files
