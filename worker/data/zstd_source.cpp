// Zstandard: one or more frames, skippable ones included; zero bytes behind the last one are padding.
#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_getFrameHeader
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <new>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "worker/data/compressed_source.h"

namespace ontime::worker {
namespace {

class ZstdSource final : public CompressedSource {
 public:
  ZstdSource(StoredInput& input, const InputAccess& access)
      : CompressedSource(input, access), stream_(ZSTD_createDStream()) {
    ONTIME_CHECK(stream_ != nullptr, "zstd starts");
    // The library counts in powers of two.
    const int log =
        std::clamp(static_cast<int>(std::bit_width(window_bytes_max())) - 1, ZSTD_WINDOWLOG_MIN, ZSTD_WINDOWLOG_MAX);
    ONTIME_CHECK(!ZSTD_isError(ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, log)), "zstd takes a limit");
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

 private:
  Step decompress(std::string_view stored, char* to, std::size_t size) override {
    if (stored.empty() && between_frames_) return {};
    if (between_frames_) header_.clear();
    const std::size_t more = std::min(stored.size(), ZSTD_FRAMEHEADERSIZE_MAX - header_.size());
    header_ += stored.substr(0, more);
    ZSTD_inBuffer in{stored.data(), stored.size(), 0};
    ZSTD_outBuffer out{to, size, 0};
    const std::size_t left = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(left)) return broken(left);
    between_frames_ = left == 0;
    return {in.pos, out.pos, nullptr};
  }

  Step broken(std::size_t result) {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
    ZSTD_frameHeader header{};
    if (code == ZSTD_error_frameParameter_windowTooLarge &&
        ZSTD_getFrameHeader(&header, header_.data(), header_.size()) == 0)
      return {.window = header.windowSize};
    return {0, 0, code == ZSTD_error_prefix_unknown ? stranger() : ZSTD_getErrorName(result)};
  }

  bool may_end() const override { return between_frames_; }
  bool may_follow(char first) const override { return first == '\x28' || (first & '\xf0') == '\x50'; }

  std::optional<StoredPosition> place(std::uint64_t position) const override {
    return between_frames_ ? std::optional(StoredPosition{position, 0}) : std::nullopt;
  }

  bool restart(const StartPoint& start) override {
    ONTIME_CHECK(!ZSTD_isError(ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only)), "zstd starts anew");
    between_frames_ = true;
    return start.point.state == 0;
  }

  ZSTD_DStream* stream_;
  std::string header_;  // the first bytes of the frame
  bool between_frames_ = true;
};

}  // namespace

std::unique_ptr<InputSource> make_zstd_source(StoredInput& input, const InputAccess& access) {
  return std::make_unique<ZstdSource>(input, access);
}

}  // namespace ontime::worker
