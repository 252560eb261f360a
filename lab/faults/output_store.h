#pragma once
// The output directories, on a disk that all share. A file's bytes are numbers of input records, so that what is in a
// part file tells which records it has come from. Files are found by name, but written through what was opened: a
// rename moves a file away from under its writer, who goes on writing to it.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ontime::lab::faults {

using FileId = std::uint32_t;

struct OutputFile {
  std::vector<std::uint32_t> records;  // one byte each
  std::size_t synced = 0;              // so many of them would survive the death of the machine
};

struct OutputDirectory {
  std::map<std::string, FileId> parts;
  std::map<std::string, FileId> attempts;  // below _attempts
  bool has_attempts = true;                // _attempts exists
  bool has_manifest = false;
  bool has_success = false;
};

class OutputStore {
 public:
  FileId create() {
    files_.emplace_back();
    return static_cast<FileId>(files_.size() - 1);
  }
  OutputFile& file(FileId id) { return files_[id]; }
  const OutputFile& file(FileId id) const { return files_[id]; }

  // Directories are numbered in order of their making.
  std::uint32_t create_directory() {
    directories_.emplace_back();
    return static_cast<std::uint32_t>(directories_.size() - 1);
  }
  OutputDirectory& directory(std::uint32_t number) { return directories_[number]; }
  const OutputDirectory& directory(std::uint32_t number) const { return directories_[number]; }
  std::size_t directories() const { return directories_.size(); }

 private:
  std::vector<OutputFile> files_;
  std::vector<OutputDirectory> directories_;
};

// JobSpec::output of a directory, and back.
std::string name_of_directory(std::uint32_t number);
std::uint32_t directory_of(const std::string& name);

}  // namespace ontime::lab::faults
