// xz: streams of blocks, one stream after another, with padding between them. Reading may begin at each block. The
// index of a stream may take as much memory as a block's dictionary. The state of a point says above its lowest byte
// which checksum the blocks have.
#include <lzma.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "worker/data/compressed_source.h"

namespace ontime::worker {
namespace {

class XzSource final : public CompressedSource {
 public:
  XzSource(StoredInput& input, const InputAccess& access) : CompressedSource(input, access) {}
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
        at_ = At::StreamHeader;
        return going_on();
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

  bool may_end() const override { return at_ == At::BetweenStreams; }
  bool may_follow(char first) const override { return first == '\xfd'; }

  std::optional<StoredPosition> place(std::uint64_t position) const override {
    if (at_ == At::BetweenStreams) return StoredPosition{position, 0};
    if (at_ != At::BeforeBlock) return std::nullopt;
    return StoredPosition{position, kInside | static_cast<std::uint64_t>(flags_.check) << 8};
  }

  bool restart(const StartPoint& start) override {
    const std::uint64_t check = start.point.state >> 8;
    gathered_.clear();
    after_first_ = true;
    is_whole_ = false;
    at_ = start.point.state == 0 ? At::BetweenStreams : At::BeforeBlock;
    flags_ = {};
    flags_.check = static_cast<lzma_check>(check);
    return start.point.state == 0 || ((start.point.state & 0xff) == kInside && check <= LZMA_CHECK_ID_MAX);
  }

  static Step broken(const char* why) { return {0, 0, why}; }
  static Step going_on() { return {0, 0, nullptr, true}; }

  // A header is read when all of it is here.
  template <class Then>
  Step gather(std::string_view stored, std::size_t whole, Then then) {
    const std::size_t size = std::min(whole - gathered_.size(), stored.size());
    gathered_ += stored.substr(0, size);
    if (gathered_.size() < whole) return {size, 0, nullptr};
    Step step = then();
    gathered_.clear();
    step.consumed = size;
    step.goes_on = true;
    return step;
  }
  const std::uint8_t* gathered() const { return reinterpret_cast<const std::uint8_t*>(gathered_.data()); }

  Step begin_stream() {
    if (lzma_stream_header_decode(&flags_, gathered()) != LZMA_OK)
      return broken(after_first_ ? stranger() : "its header is damaged");
    after_first_ = is_whole_ = true;
    content_ = blocks_ = 0;
    at_ = At::BeforeBlock;
    return {};
  }

  // The first byte of a block is the size of its header, of the index it is 0.
  Step look_ahead(char first) {
    if (first == '\0') {
      lzma_index_end(index_, nullptr);
      index_ = nullptr;
      ONTIME_CHECK(lzma_index_decoder(&library_, &index_, window_bytes_max()) == LZMA_OK, "liblzma starts");
      at_ = At::Index;
    } else {
      block_ = {};
      block_.header_size = lzma_block_header_size_decode(static_cast<std::uint8_t>(first));
      at_ = At::BlockHeader;
    }
    return going_on();
  }

  Step begin_block() {
    std::array<lzma_filter, LZMA_FILTERS_MAX + 1> filters;
    block_.version = 1;
    block_.check = flags_.check;
    block_.filters = filters.data();
    if (lzma_block_header_decode(&block_, nullptr, gathered()) != LZMA_OK)
      return broken("the header of a block is damaged");
    const std::uint64_t memory = lzma_raw_decoder_memusage(filters.data());
    const bool fits = memory <= window_bytes_max() || memory == UINT64_MAX;  // of a kind that is not known
    const lzma_ret begun = fits ? lzma_block_decoder(&library_, &block_) : LZMA_OK;
    lzma_filters_free(filters.data(), nullptr);
    block_.filters = nullptr;
    if (!fits) return {.window = memory};
    if (begun == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (begun != LZMA_OK) return broken("a block is of a kind that is not known here");
    at_ = At::Block;
    return {};
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
    if (code == LZMA_MEMLIMIT_ERROR) return {.window = lzma_memusage(&library_)};
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

  Step end_stream() {
    lzma_stream_flags flags{};
    if (lzma_stream_footer_decode(&flags, gathered()) != LZMA_OK || flags.check != flags_.check ||
        flags.backward_size != lzma_index_size(index_))
      return broken("the end of a stream is damaged");
    at_ = At::BetweenStreams;
    return {};
  }

  At at_ = At::BetweenStreams;
  std::string gathered_;
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

std::unique_ptr<InputSource> make_xz_source(StoredInput& input, const InputAccess& access) {
  return std::make_unique<XzSource>(input, access);
}

}  // namespace ontime::worker
