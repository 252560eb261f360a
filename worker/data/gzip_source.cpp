// gzip: one or more members, one after another; zero bytes behind the last one are padding. Reading may begin at each
// member, and at each block of one with the 32 KiB of content before it. The state of such a point has the CRC-32 of
// the member so far in its upper half.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/check.h"
#include "worker/data/compressed_source.h"

namespace ontime::worker {
namespace {

constexpr int kGzipOnly = 15 + 16;
constexpr int kDeflateOnly = -15;
constexpr char kMagic = '\x1f';  // every member's first byte

class GzipSource final : public CompressedSource {
 public:
  GzipSource(StoredInput& input, const InputAccess& access) : CompressedSource(input, access) {
    ONTIME_CHECK(inflateInit2(&stream_, kGzipOnly) == Z_OK, "zlib starts");
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

 private:
  enum class At { BetweenMembers, Member, Bits, RestOfMember, Trailer };

  Step decompress(std::string_view stored, char* to, std::size_t size) override {
    if (at_ == At::BetweenMembers) {
      if (stored.empty()) return {};
      inflateReset2(&stream_, kGzipOnly);
      at_ = At::Member;
    }
    if (at_ == At::Bits) return stored.empty() ? Step{} : prime(stored.front());
    if (at_ == At::Trailer) return check_trailer(stored);
    return inflate_some(stored, to, size);
  }

  bool may_end() const override { return at_ == At::BetweenMembers; }
  bool may_follow(char first) const override { return first == kMagic; }

  std::optional<StoredPosition> place(std::uint64_t position) const override {
    if (at_ == At::BetweenMembers) return StoredPosition{position, 0};
    constexpr int kBetweenBlocks = 128;
    constexpr int kInLastBlock = 64;
    const bool is_inside = at_ == At::Member || at_ == At::RestOfMember;
    if (!is_inside || (stream_.data_type & (kBetweenBlocks | kInLastBlock)) != kBetweenBlocks) return std::nullopt;
    const auto unused = static_cast<std::uint64_t>(stream_.data_type & 7);  // bits of the byte before
    return StoredPosition{position - (unused > 0 ? 1 : 0),
                          (unused > 0 ? 8 - unused : 0) | kInside | std::uint64_t{crc()} << 32};
  }

  bool needs_window() const override { return at_ != At::BetweenMembers; }

  std::string window() override {
    std::string window(kWindowBytes, '\0');
    uInt length = 0;
    inflateGetDictionary(&stream_, reinterpret_cast<Bytef*>(window.data()), &length);
    window.resize(length);
    return window;
  }

  bool restart(const StartPoint& start) override {
    at_ = At::BetweenMembers;
    if (start.point.state == 0) return true;
    const auto window = unpack_window(start.window, start.point.window);
    if (!window || (start.point.state & 0xffffffff & ~std::uint64_t{7}) != kInside) return false;
    inflateReset2(&stream_, kDeflateOnly);
    stream_.data_type = 0;  // whatever was read before
    inflateSetDictionary(&stream_, reinterpret_cast<const Bytef*>(window->data()), static_cast<uInt>(window->size()));
    crc_ = static_cast<std::uint32_t>(start.point.state >> 32);
    used_bits_ = static_cast<int>(start.point.state & 7);
    at_ = used_bits_ > 0 ? At::Bits : At::RestOfMember;
    return true;
  }

  std::uint32_t crc() const { return at_ == At::Member ? static_cast<std::uint32_t>(stream_.adler) : crc_; }

  Step prime(char byte) {
    inflatePrime(&stream_, 8 - used_bits_, static_cast<unsigned char>(byte) >> used_bits_);
    at_ = At::RestOfMember;
    return {1, 0, nullptr, true};
  }

  Step inflate_some(std::string_view stored, char* to, std::size_t size) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));  // only read
    stream_.avail_in = static_cast<uInt>(stored.size());
    const auto room = static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    const int code = inflate(&stream_, Z_BLOCK);
    Step step{stored.size() - stream_.avail_in, room - stream_.avail_out, nullptr};
    if (at_ == At::RestOfMember) {
      crc_ = static_cast<std::uint32_t>(crc32(crc_, reinterpret_cast<const Bytef*>(to), room - stream_.avail_out));
    }
    if (code == Z_STREAM_END) {
      trailer_bytes_ = 0;
      step.goes_on = true;
      at_ = at_ == At::Member ? At::BetweenMembers : At::Trailer;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      step.error = stream_.msg != nullptr ? stream_.msg : zError(code);
    }
    return step;
  }

  // Checks the CRC-32 in the trailer of a member that was begun inside. Its whole length is not known here.
  Step check_trailer(std::string_view stored) {
    const std::size_t size = std::min(stored.size(), trailer_.size() - trailer_bytes_);
    std::copy_n(stored.data(), size, trailer_.begin() + static_cast<std::ptrdiff_t>(trailer_bytes_));
    trailer_bytes_ += size;
    if (trailer_bytes_ < trailer_.size()) return {size, 0, nullptr};
    std::uint32_t expected = 0;
    for (std::size_t i = 4; i-- > 0;) expected = expected << 8 | static_cast<unsigned char>(trailer_[i]);
    if (expected != crc_) return {size, 0, "incorrect data check"};
    at_ = At::BetweenMembers;
    return {size, 0, nullptr};
  }

  z_stream stream_{};
  At at_ = At::BetweenMembers;
  int used_bits_ = 0;      // of the first byte
  std::uint32_t crc_ = 0;  // of a member that was begun inside
  std::array<char, 8> trailer_{};
  std::size_t trailer_bytes_ = 0;
};

}  // namespace

std::unique_ptr<InputSource> make_gzip_source(StoredInput& input, const InputAccess& access) {
  return std::make_unique<GzipSource>(input, access);
}

}  // namespace ontime::worker
