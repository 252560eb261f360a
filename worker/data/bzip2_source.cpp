// bzip2: streams of blocks that begin at any bit, one stream after another. Reading may begin at each block. The
// library is given no output before a block is read whole, so it shows where the block has ended, to the byte; the
// magic number of what follows shows the bit. The state of a point has the digit of the block size in its second byte,
// and the CRC of the stream so far in its upper half.
#include <bzlib.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "worker/data/compressed_source.h"

namespace ontime::worker {
namespace {

constexpr std::uint64_t kBlockMagic = 0x314159265359;
constexpr std::uint64_t kEndMagic = 0x177245385090;

// Bits of the file, in order, as far as they are here.
class Bits {
 public:
  void begin_at(std::uint64_t byte) {
    bytes_.clear();
    first_ = byte;
  }
  void append(std::string_view bytes, std::uint64_t needed_from) {
    const std::uint64_t done = std::min<std::uint64_t>(std::max(needed_from / 8, first_) - first_, bytes_.size());
    bytes_.erase(0, static_cast<std::size_t>(done));
    first_ += done;
    bytes_ += bytes;
  }
  std::uint64_t end() const { return (first_ + bytes_.size()) * 8; }

  // Nothing if some of them are not here. REQUIRES: count <= 56.
  std::optional<std::uint64_t> number(std::uint64_t at, std::uint64_t count) const {
    if (at + count > end()) return std::nullopt;
    std::uint64_t value = 0;
    for (std::uint64_t byte = at / 8; byte * 8 < at + count; ++byte) {
      value = value << 8 | static_cast<unsigned char>(bytes_[static_cast<std::size_t>(byte - first_)]);
    }
    const std::uint64_t behind = (8 - (at + count) % 8) % 8;
    return value >> behind & ((std::uint64_t{1} << count) - 1);
  }

  // Whole bytes from that bit on.
  std::size_t copy(std::uint64_t at, char* to, std::size_t most) const {
    const std::uint64_t here = end() > at ? (end() - at) / 8 : 0;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(most, here));
    const char* const from = bytes_.data() + (at / 8 - first_);
    const unsigned shift = at % 8;
    if (shift == 0) return std::copy_n(from, size, to) - to;
    for (std::size_t i = 0; i < size; ++i) {
      const auto both =
          static_cast<unsigned>(static_cast<unsigned char>(from[i]) << 8 | static_cast<unsigned char>(from[i + 1]));
      to[i] = static_cast<char>(both >> (8 - shift));
    }
    return size;
  }

 private:
  std::string bytes_;
  std::uint64_t first_ = 0;
};

class Bzip2Source final : public CompressedSource {
 public:
  Bzip2Source(StoredInput& input, const InputAccess& access) : CompressedSource(input, access) {}
  ~Bzip2Source() override { end_library(); }
  Bzip2Source(const Bzip2Source&) = delete;
  Bzip2Source& operator=(const Bzip2Source&) = delete;

 private:
  enum class At { BetweenStreams, BeforeBlock, Block, EndOfBlock, Content };

  Step decompress(std::string_view stored, char* to, std::size_t size) override {
    Step step = advance(to, size);
    if (step.goes_on || step.error != nullptr || stored.empty()) return step;
    bits_.append(stored, at_ == At::Block || at_ == At::EndOfBlock ? fed_bit_ - 7 : at_bit_);
    step.consumed = stored.size();
    step.goes_on = true;
    return step;
  }

  // Nothing if it needs more bits.
  Step advance(char* to, std::size_t size) {
    switch (at_) {
      case At::BetweenStreams:
        return begin_stream();
      case At::BeforeBlock:
        return begin_block();
      case At::Block:
        return feed_block();
      case At::EndOfBlock:
        return find_end();
      case At::Content:
        return give_content(to, size);
    }
    return {};
  }

  bool may_end() const override { return at_ == At::BetweenStreams && at_bit_ == bits_.end(); }

  bool may_follow(char first) const override { return first == 'B'; }

  std::optional<StoredPosition> place(std::uint64_t /*position*/) const override {
    if (at_ == At::BetweenStreams) return StoredPosition{at_bit_ / 8, 0};
    if (at_ != At::BeforeBlock) return std::nullopt;
    return StoredPosition{at_bit_ / 8, at_bit_ % 8 | kInside | std::uint64_t(static_cast<unsigned char>(level_)) << 8 |
                                           std::uint64_t{stream_crc_} << 32};
  }

  bool restart(const StartPoint& start) override {
    end_library();
    const std::uint64_t state = start.point.state;
    bits_.begin_at(start.point.stored);
    at_bit_ = start.point.stored * 8 + (state & 7);
    at_ = state == 0 ? At::BetweenStreams : At::BeforeBlock;
    after_first_ = true;
    level_ = static_cast<char>(state >> 8 & 0xff);
    stream_crc_ = static_cast<std::uint32_t>(state >> 32);
    return state == 0 || ((state & 0xff & ~std::uint64_t{7}) == kInside && level_ >= '1' && level_ <= '9');
  }

  static Step broken(const char* why) { return {0, 0, why}; }
  static Step going_on() { return {0, 0, nullptr, true}; }

  Step begin_stream() {
    const auto first = bits_.number(at_bit_, 8);
    if (first == 0 && after_first_) {
      at_bit_ += 8;
      return going_on();
    }
    if (first && after_first_ && !may_follow(static_cast<char>(*first))) return broken(stranger());
    const auto header = bits_.number(at_bit_, 32);
    if (!header) return {};
    constexpr std::uint64_t kMagic = 0x425a68;  // BZh
    level_ = static_cast<char>(*header & 0xff);
    if (*header >> 8 != kMagic || level_ < '1' || level_ > '9')
      return broken(after_first_ ? stranger() : "it does not begin as bzip2 does");
    at_bit_ += 32;
    stream_crc_ = 0;
    after_first_ = true;
    at_ = At::BeforeBlock;
    return going_on();
  }

  Step begin_block() {
    const auto magic = bits_.number(at_bit_, 48);
    const auto crc = bits_.number(at_bit_ + 48, 32);
    if (!magic || !crc) return {};
    if (*magic == kEndMagic) {
      if (*crc != stream_crc_) return broken("the checksum of a stream is wrong");
      end_library();
      at_bit_ = (at_bit_ + 48 + 32 + 7) / 8 * 8;
      at_ = At::BetweenStreams;
      return going_on();
    }
    if (*magic != kBlockMagic) return broken("no block begins where one should");
    block_crc_ = static_cast<std::uint32_t>(*crc);
    if (!is_running_) begin_library();
    at_ = At::Block;
    return going_on();
  }

  void begin_library() {
    library_ = {};
    ONTIME_CHECK(BZ2_bzDecompressInit(&library_, 0, 0) == BZ_OK, "bzip2 starts");
    is_running_ = true;
    std::array<char, 4> header{'B', 'Z', 'h', level_};
    library_.next_in = header.data();
    library_.avail_in = header.size();
    library_.next_out = nullptr;
    library_.avail_out = 0;
    ONTIME_CHECK(BZ2_bzDecompress(&library_) == BZ_OK && library_.avail_in == 0, "bzip2 takes its header");
    fed_bit_ = at_bit_;
  }

  void end_library() {
    if (is_running_) BZ2_bzDecompressEnd(&library_);
    is_running_ = false;
  }

  // The block is whole when the library takes no more. Then it has taken all bits of it, and less than a byte more.
  Step feed_block() {
    std::array<char, 4096> bytes;
    const std::size_t size = bits_.copy(fed_bit_, bytes.data(), bytes.size());
    if (size == 0) return {};
    char none = 0;
    library_.next_in = bytes.data();
    library_.avail_in = static_cast<unsigned>(size);
    library_.next_out = &none;
    library_.avail_out = 0;
    if (const int code = BZ2_bzDecompress(&library_); code != BZ_OK) return broken("a block of it makes no sense");
    fed_bit_ += (size - library_.avail_in) * 8;
    if (library_.avail_in > 0) at_ = At::EndOfBlock;
    return going_on();
  }

  Step find_end() {
    if (!bits_.number(fed_bit_, 48)) return {};
    for (std::uint64_t bit = fed_bit_ - 7; bit <= fed_bit_; ++bit) {
      const auto magic = bits_.number(bit, 48);
      if (magic != kBlockMagic && magic != kEndMagic) continue;
      at_bit_ = bit;
      at_ = At::Content;
      return going_on();
    }
    return broken("a block does not end where it should");
  }

  Step give_content(char* to, std::size_t size) {
    const auto room = static_cast<unsigned>(std::min<std::size_t>(size, 1u << 30));
    char none = 0;
    library_.next_in = &none;
    library_.avail_in = 0;
    library_.next_out = to;
    library_.avail_out = room;
    if (BZ2_bzDecompress(&library_) != BZ_OK) return broken("the checksum of a block is wrong");
    if (library_.avail_out > 0) {
      stream_crc_ = (stream_crc_ << 1 | stream_crc_ >> 31) ^ block_crc_;
      at_ = At::BeforeBlock;
    }
    return {0, room - library_.avail_out, nullptr, true};
  }

  Bits bits_;
  At at_ = At::BetweenStreams;
  std::uint64_t at_bit_ = 0;  // where what comes next begins; in a block, where that begins, or ends once that is known
  std::uint64_t fed_bit_ = 0;  // up to which the library has been given the stream
  bool after_first_ = false;
  char level_ = '9';
  std::uint32_t block_crc_ = 0;
  std::uint32_t stream_crc_ = 0;  // of its blocks so far
  bz_stream library_{};
  bool is_running_ = false;
};

}  // namespace

std::unique_ptr<InputSource> make_bzip2_source(StoredInput& input, const InputAccess& access) {
  return std::make_unique<Bzip2Source>(input, access);
}

}  // namespace ontime::worker
