// gzip: one or more members, one after another; zero bytes behind the last one are padding.
#include <zlib.h>

#include <algorithm>
#include <string_view>

#include "common/base/check.h"
#include "worker/data/input_source.h"

namespace ontime::worker {
namespace {

class GzipSource final : public CompressedSource {
 public:
  explicit GzipSource(StoredInput& input) : CompressedSource(input) {
    constexpr int kGzipOnly = 15 + 16;
    ONTIME_CHECK(inflateInit2(&stream_, kGzipOnly) == Z_OK, "zlib starts");
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

 private:
  Step decompress(std::string_view stored, char* to, std::size_t size) override {
    if (between_members_) {
      if (stored.empty()) return {};
      if (stored.front() == '\0' && after_first_) return skip_padding(stored);
      if (padded_) return {0, 0, "there is something behind the padding after its last member"};
      inflateReset(&stream_);
      between_members_ = false;
    }
    return inflate_some(stored, to, size);
  }

  bool may_end() const override { return between_members_; }

  void restart() override {
    between_members_ = after_first_ = true;
    padded_ = false;
  }

  Step skip_padding(std::string_view stored) {
    padded_ = true;
    return {std::min(stored.find_first_not_of('\0'), stored.size()), 0, nullptr};
  }

  Step inflate_some(std::string_view stored, char* to, std::size_t size) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));  // only read
    stream_.avail_in = static_cast<uInt>(stored.size());
    const auto room = static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    Step step{stored.size() - stream_.avail_in, room - stream_.avail_out, nullptr};
    if (code == Z_STREAM_END) {
      between_members_ = after_first_ = true;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      step.error = stream_.msg != nullptr ? stream_.msg : zError(code);
    }
    return step;
  }

  z_stream stream_{};
  bool between_members_ = true;
  bool after_first_ = false;
  bool padded_ = false;
};

}  // namespace

std::unique_ptr<InputSource> make_gzip_source(StoredInput& input) { return std::make_unique<GzipSource>(input); }

}  // namespace ontime::worker
