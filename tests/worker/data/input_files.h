#pragma once
// Small input files for tests, stored plain or compressed, and the records they hold as a slow, obvious reading gives.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "worker/data/input_source.h"

namespace ontime::worker::test {

// A directory of its own, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view bytes);
std::string read_file(const std::string& path);

// The file as it stands, the way the master finds it at submission.
InputFile describe(const std::string& path, Codec codec = Codec::Plain);

std::string gzip(std::string_view bytes);                // one member
std::string bgzf(std::string_view bytes);                // one member of at most 64 KiB that says its size
std::string zstd(std::string_view bytes);                // one frame
std::string xz(const std::vector<std::string>& pieces);  // one stream, a block for each piece
std::string bzip2(std::string_view bytes, int level);    // one stream with blocks of 100 kB * level
// One member that is flushed behind each piece, as `pigz` does: with Z_SYNC_FLUSH, or as `pigz -i` does, with
// Z_FULL_FLUSH. Its deflate blocks are small.
std::string gzip_flushed(const std::vector<std::string>& pieces, int flush);
std::string zstd_without_size(std::string_view bytes);  // one frame that does not say how much it holds

// Stored as blocks of its pieces, each of which can be decompressed alone, and described with all places between them.
// Codec::Gzip: as `bgzip` does.
InputFile store_blocks(const std::string& path, const std::vector<std::string>& pieces, Codec codec);
// `content` in pieces of `size` bytes, with an empty one behind each third.
std::vector<std::string> pieces_of(const std::string& content, std::size_t size);

struct Record {
  std::uint64_t offset = 0;
  std::string bytes;  // with its end
  auto operator<=>(const Record&) const = default;
};
std::vector<Record> lines_of(std::string_view bytes);

// Contents that have been trouble somewhere: no final line end, CRLF, empty lines, NUL bytes, invalid UTF-8, ...
std::vector<std::string> awkward_contents();

}  // namespace ontime::worker::test
