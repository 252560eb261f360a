#include "master/inputs/input_index.h"

#include <lzma.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "common/base/check.h"
#include "common/base/little_endian.h"
#include "common/records/formats.h"
#include "master/mounts/file_system.h"

namespace ontime::master {

StoredNumbers::StoredNumbers(const ReadAt& read, std::uint64_t size, const IndexEffort& effort)
    : read_(read), size_(size), effort_(effort) {}

std::string_view StoredNumbers::bytes(std::uint64_t offset, std::size_t most) {
  if (offset >= size_) return {};
  most = static_cast<std::size_t>(std::min<std::uint64_t>(most, size_ - offset));
  if (offset < begin_ || offset + most > begin_ + length_) {
    if (++reads_ > effort_.reads_max) return {};
    note_progress();
    buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(effort_.read_bytes, size_ - offset)));
    begin_ = offset;
    length_ = read_(buffer_.data(), buffer_.size(), offset);
  }
  const auto at = static_cast<std::size_t>(offset - begin_);
  return {buffer_.data() + at, std::min(most, length_ - at)};
}

std::optional<std::uint64_t> StoredNumbers::number(std::uint64_t offset, std::size_t size) {
  const std::string_view found = bytes(offset, size);
  if (found.size() < size) return std::nullopt;
  return from_little_endian(found);
}

bool StoredNumbers::will_reach_end(std::uint64_t offset) const {
  constexpr std::uint64_t kReadsThatTell = 8;
  if (reads_ < kReadsThatTell || offset == 0) return true;
  const double share = static_cast<double>(offset) / static_cast<double>(size_);
  return static_cast<double>(reads_) / share <= static_cast<double>(effort_.reads_max);
}

namespace {

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
template <class BlockAt>
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

std::vector<AccessPoint> find_record_points(const app::RecordFormat& format, std::uint64_t size, const ReadAt& read,
                                            const IndexEffort& effort) {
  constexpr std::size_t kHeadAtFirst = 1024;
  const auto record_at = [&](StoredNumbers& file, std::uint64_t at) -> std::optional<Block> {
    auto length = records::length_of(format, file.bytes(at, kHeadAtFirst));
    if (!length) length = records::length_of(format, file.bytes(at, effort.read_bytes));
    return length ? std::optional(Block{*length, *length}) : std::nullopt;
  };
  StoredNumbers file(read, size, effort);
  std::vector<AccessPoint> points = hop(file, record_at, effort.apart).points;
  for (AccessPoint& point : points) point.state = records::mark_of(format);
  return points;
}

void thin_out(std::vector<AccessPoint>& points, std::size_t most) {
  while (points.size() > most) {
    for (std::size_t i = 0; 2 * i + 1 < points.size(); ++i) points[i] = points[2 * i + 1];
    points.resize(points.size() / 2);
  }
}

namespace {

constexpr std::uint64_t kIndexMemoryMax = 64u << 20;  // of all streams

// Null if the file has none that can be read. To be freed.
lzma_index* decode_index(StoredNumbers& file, std::size_t read_bytes) {
  lzma_stream library = LZMA_STREAM_INIT;
  lzma_index* index = nullptr;
  ONTIME_CHECK(lzma_file_info_decoder(&library, &index, kIndexMemoryMax, file.size()) == LZMA_OK, "liblzma starts");
  lzma_ret code = LZMA_OK;
  for (std::uint64_t at = 0; code == LZMA_OK;) {
    const std::string_view bytes = file.bytes(at, read_bytes);
    if (bytes.empty()) break;
    library.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    library.avail_in = bytes.size();
    code = lzma_code(&library, LZMA_RUN);
    at += bytes.size() - library.avail_in;
    if (code == LZMA_SEEK_NEEDED) {
      at = library.seek_pos;
      code = LZMA_OK;
    }
  }
  lzma_end(&library);
  return code == LZMA_STREAM_END ? index : nullptr;
}

}  // namespace

InputIndex find_xz_index(StoredNumbers& file, const IndexEffort& effort) {
  lzma_index* const index = decode_index(file, effort.read_bytes);
  if (index == nullptr) return {};
  InputIndex found;
  std::uint64_t apart = effort.apart;
  std::uint64_t largest = 0;
  std::uint64_t last = 0;
  lzma_index_iter block;
  lzma_index_iter_init(&block, index);
  while (!lzma_index_iter_next(&block, LZMA_INDEX_ITER_NONEMPTY_BLOCK)) {
    const std::uint64_t content = block.block.uncompressed_file_offset;
    largest = std::max<std::uint64_t>(largest, block.block.uncompressed_size);
    found.content_bytes = content + block.block.uncompressed_size;
    if (content == 0 || content - last < apart) continue;
    last = content;
    found.points.push_back({content, block.block.compressed_file_offset,
                            kInside | static_cast<std::uint64_t>(block.stream.flags->check) << 8});
    if (found.points.size() <= kPointsMax) continue;
    thin_out(found.points, kPointsMax);
    apart *= 2;
  }
  lzma_index_end(index, nullptr);
  return largest <= kBlockContentMax ? found : InputIndex{};
}

}  // namespace ontime::master
