#pragma once
// A directory of its own for one test, removed with everything in it; and whole files in one call.

#include <stdlib.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace ontime::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_((std::filesystem::temp_directory_path() / "ontime-test-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) != nullptr) return;
    std::perror("mkdtemp");
    std::abort();
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Makes the directories above it too.
inline void write_file(const std::string& path, std::string_view content) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

inline void write_secret(const std::string& path, std::string_view content) {
  write_file(path, content);
  std::filesystem::permissions(path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content;
  std::array<char, 64 << 10> piece;  // byte by byte takes seconds without optimisation
  do {
    file.read(piece.data(), piece.size());
    content.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  } while (file);
  return content;
}

}  // namespace ontime::test
