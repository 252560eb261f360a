// Zstandard: one or more frames, skippable ones included. Windows above 128 MiB are refused by the library's default.
#include <zstd.h>
#include <zstd_errors.h>

#include <string_view>

#include "common/base/check.h"
#include "worker/data/compressed_source.h"

namespace ontime::worker {
namespace {

class ZstdSource final : public CompressedSource {
 public:
  ZstdSource(StoredInput& input, const InputNotes& notes)
      : CompressedSource(input, notes), stream_(ZSTD_createDStream()) {
    ONTIME_CHECK(stream_ != nullptr, "zstd starts");
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

 private:
  Step decompress(std::string_view stored, char* to, std::size_t size) override {
    if (stored.empty() && between_frames_) return {};
    ZSTD_inBuffer in{stored.data(), stored.size(), 0};
    ZSTD_outBuffer out{to, size, 0};
    const std::size_t left = ZSTD_decompressStream(stream_, &out, &in);
    Step step{in.pos, out.pos, nullptr};
    if (ZSTD_isError(left)) {
      const bool is_too_large = ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge;
      step.error = is_too_large ? "it takes more than 128 MiB of memory to decompress" : ZSTD_getErrorName(left);
    } else {
      between_frames_ = left == 0;
    }
    return step;
  }

  bool may_end() const override { return between_frames_; }

  std::optional<StoredPosition> place(std::uint64_t position) const override {
    return between_frames_ ? std::optional(StoredPosition{position, 0}) : std::nullopt;
  }

  bool restart(const StartPoint& start) override {
    ONTIME_CHECK(!ZSTD_isError(ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only)), "zstd starts anew");
    between_frames_ = true;
    return start.point.state == 0;
  }

  ZSTD_DStream* stream_;
  bool between_frames_ = true;
};

}  // namespace

std::unique_ptr<InputSource> make_zstd_source(StoredInput& input, const InputNotes& notes) {
  return std::make_unique<ZstdSource>(input, notes);
}

}  // namespace ontime::worker
