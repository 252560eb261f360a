#pragma once
// The file of a recording: the magic, then blocks. Their contents one after another are the entries (entry.h),
// which know nothing of blocks. All numbers 4 bytes, little endian:
//
//   block := size stored_size sequence checksum data
//
// size: of what the data is when unpacked; stored_size: of the data, one zstd frame; sequence: counts from 0; checksum:
// CRC-32C of the three numbers before it and the data. Files may be put one behind another: a magic begins a new one.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace ontime::recording {

// The recordings of a journal: one file for each epoch, in a directory inside the journal's.
struct EpochFile {
  std::uint64_t epoch = 0;
  std::string path;
  std::uint64_t bytes = 0;
};

std::string recordings_of(const std::string& journal_directory);  // its directory
std::string path_of(const std::string& recordings, std::uint64_t epoch);
// In order of epoch; other files are left out. Empty if there is no such directory.
std::vector<EpochFile> list_epochs(const std::string& recordings);
// All epochs in one file, without the tails that crashes cut off. Failed if there are none.
Status join_epochs(const std::string& recordings, const std::string& into);

inline constexpr std::string_view kMagic = "ONTIMER1";
inline constexpr std::size_t kBlockHeaderBytes = 16;
inline constexpr std::size_t kBlockBytesMax = std::size_t{1} << 20;  // unpacked

// Makes blocks. Keeps what zstd needs for it, which takes longer to make than a usual block to compress. One thread.
class BlockMaker {
 public:
  BlockMaker();
  // REQUIRES: not more than kBlockBytesMax.
  std::string make(std::string_view content, std::uint32_t sequence);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
};

struct BlockHeader {
  std::uint32_t size = 0;
  std::uint32_t stored_size = 0;
  std::uint32_t sequence = 0;
  std::uint32_t checksum = 0;
};
// `bytes`: kBlockHeaderBytes. Sizes that no block has are an error.
Result<BlockHeader> read_block_header(std::string_view bytes);

// Unpacks blocks, and keeps what zstd needs for it, as BlockMaker does.
class BlockUnpacker {
 public:
  BlockUnpacker();
  // Appends the unpacked content.
  Status unpack(const BlockHeader& header, std::string_view header_bytes, std::string_view data, std::string& to);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace ontime::recording
