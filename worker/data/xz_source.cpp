// xz: streams of blocks, one stream after another, with padding between them. Reading may begin at each block. More
// than kMemoryBytesMax for a block's dictionary, or for the index of a stream, is refused. The state of a point says
// above its lowest byte which checksum the blocks have.
#include <lzma.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "worker/data/compressed_source.h"

namespace ontime::worker {
namespace {

constexpr std::uint64_t kMemoryBytesMax = 128u << 20;

class XzSource final : public CompressedSource {
 public:
  XzSource(StoredInput& input, const InputNotes& notes) : CompressedSource(input, notes) {}
  ~XzSource() override {
    lzma_end(&library_);
    lzma_index_end(index_, nullptr);
  }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

 private:
  enum class At { BetweenStreams, StreamHeader, BeforeBlock, BlockHeader, Block, Index, Footer };

  Step decompress(std::string_view stored, char* to, std::size_t size) override {
    if (stored.empty() && at_ != At::Block) return {};
    switch (at_) {
      case At::BetweenStreams:
        return skip_padding(stored);
      case At::StreamHeader:
        return gather(stored, LZMA_STREAM_HEADER_SIZE, [this] { return begin_stream(); });
      case At::BeforeBlock:
        return look_ahead(stored.front());
      case At::BlockHeader:
        return gather(stored, block_.header_size, [this] { return begin_block(); });
      case At::Block:
        return decode(stored, to, size);
      case At::Index:
        return decode_index(stored);
      case At::Footer:
        return gather(stored, LZMA_STREAM_HEADER_SIZE, [this] { return end_stream(); });
    }
    return {};
  }

  bool may_end() const override { return at_ == At::BetweenStreams && padding_ % 4 == 0; }

  std::optional<StoredPosition> place(std::uint64_t position) const override {
    if (at_ == At::BetweenStreams && padding_ == 0) return StoredPosition{position, 0};
    if (at_ != At::BeforeBlock) return std::nullopt;
    return StoredPosition{position, kInside | static_cast<std::uint64_t>(flags_.check) << 8};
  }

  bool restart(const StartPoint& start) override {
    const std::uint64_t check = start.point.state >> 8;
    gathered_.clear();
    padding_ = 0;
    after_first_ = true;
    is_whole_ = false;
    at_ = start.point.state == 0 ? At::BetweenStreams : At::BeforeBlock;
    flags_ = {};
    flags_.check = static_cast<lzma_check>(check);
    return start.point.state == 0 || ((start.point.state & 0xff) == kInside && check <= LZMA_CHECK_ID_MAX);
  }

  static Step broken(const char* why) { return {0, 0, why}; }
  static Step going_on() { return {0, 0, nullptr, true}; }

  Step skip_padding(std::string_view stored) {
    if (stored.front() == '\0' && after_first_) {
      const std::size_t size = std::min(stored.find_first_not_of('\0'), stored.size());
      padding_ += size;
      return {size, 0, nullptr};
    }
    if (padding_ % 4 != 0) return broken("the padding behind a stream has a wrong size");
    padding_ = 0;
    at_ = At::StreamHeader;
    return going_on();
  }

  // A header is read when all of it is here.
  template <class Then>
  Step gather(std::string_view stored, std::size_t whole, Then then) {
    const std::size_t size = std::min(whole - gathered_.size(), stored.size());
    gathered_ += stored.substr(0, size);
    if (gathered_.size() < whole) return {size, 0, nullptr};
    const char* const wrong = then();
    gathered_.clear();
    return {size, 0, wrong, true};
  }
  const std::uint8_t* gathered() const { return reinterpret_cast<const std::uint8_t*>(gathered_.data()); }

  const char* begin_stream() {
    if (lzma_stream_header_decode(&flags_, gathered()) != LZMA_OK)
      return after_first_ ? "what follows its last stream is no xz" : "its header is damaged";
    after_first_ = is_whole_ = true;
    content_ = blocks_ = 0;
    at_ = At::BeforeBlock;
    return nullptr;
  }

  // The first byte of a block is the size of its header, of the index it is 0.
  Step look_ahead(char first) {
    if (first == '\0') {
      lzma_index_end(index_, nullptr);
      index_ = nullptr;
      ONTIME_CHECK(lzma_index_decoder(&library_, &index_, kMemoryBytesMax) == LZMA_OK, "liblzma starts");
      at_ = At::Index;
    } else {
      block_ = {};
      block_.header_size = lzma_block_header_size_decode(static_cast<std::uint8_t>(first));
      at_ = At::BlockHeader;
    }
    return going_on();
  }

  const char* begin_block() {
    std::array<lzma_filter, LZMA_FILTERS_MAX + 1> filters;
    block_.version = 1;
    block_.check = flags_.check;
    block_.filters = filters.data();
    if (lzma_block_header_decode(&block_, nullptr, gathered()) != LZMA_OK) return "the header of a block is damaged";
    const bool fits = lzma_raw_decoder_memusage(filters.data()) <= kMemoryBytesMax;
    const lzma_ret begun = fits ? lzma_block_decoder(&library_, &block_) : LZMA_OK;
    lzma_filters_free(filters.data(), nullptr);
    block_.filters = nullptr;
    if (!fits) return "it takes more than 128 MiB of memory to decompress";
    if (begun != LZMA_OK) return "a block is of a kind that is not known here";
    at_ = At::Block;
    return nullptr;
  }

  Step decode(std::string_view stored, char* to, std::size_t size) {
    const lzma_ret code = run(stored, to, size);
    const Step step{stored.size() - library_.avail_in, size - library_.avail_out, nullptr};
    content_ += step.produced;
    if (code == LZMA_OK || code == LZMA_BUF_ERROR) return step;
    if (code != LZMA_STREAM_END) return broken("a block is damaged");
    ++blocks_;
    at_ = At::BeforeBlock;
    return {step.consumed, step.produced, nullptr, true};
  }

  Step decode_index(std::string_view stored) {
    const lzma_ret code = run(stored, nullptr, 0);
    const Step step{stored.size() - library_.avail_in, 0, nullptr};
    if (code == LZMA_OK || code == LZMA_BUF_ERROR) return step;
    if (code == LZMA_MEMLIMIT_ERROR) return broken("its index takes more than 128 MiB of memory");
    if (code != LZMA_STREAM_END) return broken("its index is damaged");
    const bool is_right = lzma_index_block_count(index_) == blocks_ && lzma_index_uncompressed_size(index_) == content_;
    if (is_whole_ && !is_right) return broken("its index tells of other blocks");
    at_ = At::Footer;
    return {step.consumed, 0, nullptr, true};
  }

  lzma_ret run(std::string_view stored, char* to, std::size_t size) {
    library_.next_in = reinterpret_cast<const std::uint8_t*>(stored.data());
    library_.avail_in = stored.size();
    library_.next_out = reinterpret_cast<std::uint8_t*>(to);
    library_.avail_out = size;
    return lzma_code(&library_, LZMA_RUN);
  }

  const char* end_stream() {
    lzma_stream_flags flags{};
    if (lzma_stream_footer_decode(&flags, gathered()) != LZMA_OK || flags.check != flags_.check ||
        flags.backward_size != lzma_index_size(index_))
      return "the end of a stream is damaged";
    at_ = At::BetweenStreams;
    return nullptr;
  }

  At at_ = At::BetweenStreams;
  std::string gathered_;
  std::uint64_t padding_ = 0;
  bool after_first_ = false;
  bool is_whole_ = false;  // the stream was read from its begin
  std::uint64_t content_ = 0;
  std::uint64_t blocks_ = 0;
  lzma_stream_flags flags_{};
  lzma_block block_{};
  lzma_index* index_ = nullptr;
  lzma_stream library_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<InputSource> make_xz_source(StoredInput& input, const InputNotes& notes) {
  return std::make_unique<XzSource>(input, notes);
}

}  // namespace ontime::worker
