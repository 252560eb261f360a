#pragma once
// The index of one compressed file on disk, as far as attempts have found it (docs/journal-format.md):
//
//   file  := head entry*
//   head  := "ONTIMEX1" job path_bytes version_bytes size checksum path version
//   entry := content stored state window_hash window_bytes window_checksum checksum window
//
// Numbers are little endian. Each checksum is a CRC-32C: of the head without it, of the entry's numbers before it, of
// the window. What does not fit ends the file: a crash may leave a torn end.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/byte_range.h"
#include "common/base/ids.h"
#include "scheduler/core/job_spec.h"

namespace ontime::master {

// Where a window lies in the index's file.
struct StoredWindow {
  std::uint64_t at = 0;
  std::uint32_t bytes = 0;
  std::uint32_t checksum = 0;
};

struct FileIndex {
  struct Entry {
    AccessPoint point;
    StoredWindow window;
  };
  JobId job;                              // whose attempts have found it
  std::map<std::uint64_t, Entry> points;  // by their offset in the content
  std::uint64_t content_bytes = 0;        // 0: no attempt has come to the end
  std::uint64_t bytes = 0;                // of its file

  // The whole of the content, without a part of it that it would take long to pass.
  bool is_whole() const;
};

// The name of the index of a file, the same for no other file or version.
std::string index_name(const scheduler::InputFile& file);

std::string encode_head(JobId job, const scheduler::InputFile& file);
// Notes where the window will lie if the entry is written at `at`.
std::string encode_entry(const StartPoint& start, std::uint64_t at, StoredWindow& window);
std::string encode_end(std::uint64_t content_bytes);

// Nothing if there is none, or it is another file's.
std::optional<FileIndex> read_index(const std::string& path, const scheduler::InputFile& file);
// Puts the bytes at that place of the file, which begins anew at 0. Its directory is made if it is not there. Nobody
// else may read either. False if that fails.
bool write_index(const std::string& path, std::uint64_t at, std::string_view bytes);
// How many bytes the copy has; nothing if one of them cannot be read or written. `head`: in place of its first bytes.
std::optional<std::uint64_t> copy_index(const std::string& from, const std::string& to, std::string_view head = {});
std::optional<std::string> read_window(const std::string& path, const StoredWindow& window);

}  // namespace ontime::master
