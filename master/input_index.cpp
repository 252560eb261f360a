#include "master/input_index.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "master/stored_numbers.h"

namespace ontime::master {
namespace {

using scheduler::Codec;

// One piece of a file that can be decompressed alone.
struct Block {
  std::uint64_t stored = 0;
  std::uint64_t content = 0;
};

// Collects blocks in the order of the file.
class IndexBuilder {
 public:
  explicit IndexBuilder(std::uint64_t apart) : apart_(apart) {}

  void add(Block block) {
    largest_ = std::max(largest_, block.content);
    stored_ += block.stored;
    index_.content_bytes += block.content;
    const std::uint64_t last = index_.points.empty() ? 0 : index_.points.back().content;
    if (index_.content_bytes - last < apart_) return;
    index_.points.push_back({index_.content_bytes, stored_});
    if (index_.points.size() <= kPointsMax) return;
    thin_out(index_.points, kPointsMax);
    apart_ *= 2;
  }

  bool is_useful() const { return largest_ <= kBlockContentMax; }
  std::uint64_t stored() const { return stored_; }

  InputIndex take() {
    // Behind the last block nothing is left to read.
    if (!index_.points.empty() && index_.points.back().content == index_.content_bytes) index_.points.pop_back();
    return std::move(index_);
  }

 private:
  InputIndex index_;
  std::uint64_t apart_;
  std::uint64_t largest_ = 0;
  std::uint64_t stored_ = 0;
};

// A gzip member that says its size, as `bgzip` writes them: in a field "BC" of its header.
std::optional<Block> bgzf_block(StoredNumbers& file, std::uint64_t at) {
  constexpr std::uint64_t kMagicWithExtraField = 0x04088b1f;
  constexpr std::uint64_t kContentMax = 64u << 10;
  const auto magic = file.number(at, 4);
  const auto extra = file.number(at + 10, 2);
  if (magic != kMagicWithExtraField || !extra) return std::nullopt;
  const std::uint64_t end = at + 12 + *extra;
  for (std::uint64_t field = at + 12; field + 4 <= end;) {
    const auto name = file.number(field, 2);
    const auto length = file.number(field + 2, 2);
    if (!name || !length) return std::nullopt;
    if (*name == ('B' | 'C' << 8) && *length == 2) {
      const auto stored = file.number(field + 4, 2);
      if (!stored || at + *stored + 1 < end + 8) return std::nullopt;
      const auto content = file.number(at + *stored + 1 - 4, 4);
      if (!content || *content > kContentMax) return std::nullopt;
      return Block{*stored + 1, *content};
    }
    field += 4 + *length;
  }
  return std::nullopt;
}

constexpr std::uint64_t kZstdMagic = 0xfd2fb528;
constexpr std::uint64_t kSkippableMagic = 0x184d2a50;  // and the 15 after it

// What lies behind the magic number of a Zstandard frame: how long its header is, and what it says.
struct FrameHeader {
  std::uint64_t end = 0;  // in the file
  std::uint64_t content = 0;
  bool has_checksum = false;
};

std::optional<FrameHeader> frame_header(StoredNumbers& file, std::uint64_t at) {
  constexpr std::array<std::size_t, 4> kDictionaryBytes{0, 1, 2, 4};
  constexpr std::array<std::size_t, 4> kContentBytes{0, 2, 4, 8};
  const auto descriptor = file.number(at + 4, 1);
  if (!descriptor) return std::nullopt;
  const bool is_single = (*descriptor & 0x20) != 0;  // has no byte for the window
  const std::size_t content_bytes = is_single && *descriptor >> 6 == 0 ? 1 : kContentBytes[*descriptor >> 6];
  const std::uint64_t content_at = at + 5 + (is_single ? 0 : 1) + kDictionaryBytes[*descriptor & 3];
  const auto content = content_bytes > 0 ? file.number(content_at, content_bytes) : std::nullopt;
  if (!content) return std::nullopt;
  return FrameHeader{content_at + content_bytes, *content + (content_bytes == 2 ? 256 : 0), (*descriptor & 4) != 0};
}

std::optional<Block> zstd_frame(StoredNumbers& file, std::uint64_t at) {
  const auto magic = file.number(at, 4);
  if (magic && (*magic & ~std::uint64_t{15}) == kSkippableMagic) {
    const auto length = file.number(at + 4, 4);
    return length ? std::optional(Block{8 + *length, 0}) : std::nullopt;
  }
  const auto header = magic == kZstdMagic ? frame_header(file, at) : std::nullopt;
  if (!header || header->content > kBlockContentMax) return std::nullopt;
  constexpr std::uint64_t kRepeatedByte = 1;
  constexpr std::uint64_t kReserved = 3;
  for (std::uint64_t block_at = header->end;;) {
    const auto block = file.number(block_at, 3);
    if (!block || (*block >> 1 & 3) == kReserved) return std::nullopt;
    block_at += 3 + ((*block >> 1 & 3) == kRepeatedByte ? 1 : *block >> 3);
    if ((*block & 1) != 0) return Block{block_at + (header->has_checksum ? 4 : 0) - at, header->content};
  }
}

// By one header after another, until the end of the file.
using BlockAt = std::optional<Block> (*)(StoredNumbers& file, std::uint64_t at);
InputIndex hop(StoredNumbers& file, BlockAt block_at, std::uint64_t apart) {
  IndexBuilder index(apart);
  while (index.stored() < file.size()) {
    const auto block = file.will_reach_end(index.stored()) ? block_at(file, index.stored()) : std::nullopt;
    if (!block || block->stored > file.size() - index.stored()) return {};
    index.add(*block);
  }
  return index.is_useful() ? index.take() : InputIndex{};
}

// The table at the end of Zstandard's seekable format: for each frame its sizes, and perhaps a checksum.
std::optional<InputIndex> zstd_table(StoredNumbers& file, std::uint64_t apart) {
  constexpr std::uint64_t kFooterBytes = 9;
  constexpr std::uint64_t kSeekableMagic = 0x8f92eab1;
  if (file.size() < kFooterBytes + 8) return std::nullopt;
  const auto footer = file.size() - kFooterBytes;
  const auto frames = file.number(footer, 4);
  const auto descriptor = file.number(footer + 4, 1);
  if (!frames || !descriptor || file.number(footer + 5, 4) != kSeekableMagic) return std::nullopt;
  const std::uint64_t entry_bytes = (*descriptor & 0x80) != 0 ? 12 : 8;
  const std::uint64_t table_bytes = *frames * entry_bytes + kFooterBytes + 8;
  if (table_bytes > file.size()) return std::nullopt;
  const std::uint64_t table = file.size() - table_bytes;
  IndexBuilder index(apart);
  for (std::uint64_t i = 0; i < *frames; ++i) {
    const auto stored = file.number(table + 8 + i * entry_bytes, 4);
    const auto content = file.number(table + 8 + i * entry_bytes + 4, 4);
    if (!stored || !content) return std::nullopt;
    index.add({*stored, *content});
  }
  if (index.stored() != table || !index.is_useful()) return std::nullopt;
  return index.take();
}

}  // namespace

InputIndex find_input_index(Codec codec, std::uint64_t size, const ReadAt& read, const IndexEffort& effort) {
  StoredNumbers file(read, size, effort);
  switch (codec) {
    case Codec::Gzip:
      return hop(file, bgzf_block, effort.apart);
    case Codec::Zstd:
      if (auto index = zstd_table(file, effort.apart)) return std::move(*index);
      return hop(file, zstd_frame, effort.apart);
    case Codec::Xz:
      return find_xz_index(file, effort);
    case Codec::Bzip2:
    case Codec::Plain:
    case Codec::Stream:
      break;
  }
  return {};
}

void thin_out(std::vector<AccessPoint>& points, std::size_t most) {
  while (points.size() > most) {
    for (std::size_t i = 0; 2 * i + 1 < points.size(); ++i) points[i] = points[2 * i + 1];
    points.resize(points.size() / 2);
  }
}

}  // namespace ontime::master
