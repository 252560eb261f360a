#include "common/frames/frames.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <new>

#include "common/base/check.h"

namespace ontime::frames {
namespace {

constexpr int kGzipOnly = 15 + 16;

class ZstdCompressor final : public Compressor {
 public:
  explicit ZstdCompressor(int level) : context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void add(std::string_view content, const Sink& sink) override { run(content, ZSTD_e_continue, sink); }
  void end(const Sink& sink) override { run({}, ZSTD_e_end, sink); }

 private:
  void run(std::string_view content, ZSTD_EndDirective directive, const Sink& sink) {
    ZSTD_inBuffer in{content.data(), content.size(), 0};
    for (bool is_done = false; !is_done;) {
      ZSTD_outBuffer out{piece_.data(), piece_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
      if (ZSTD_isError(left)) throw std::bad_alloc();  // nothing else can go wrong
      if (out.pos > 0) sink({piece_.data(), out.pos});
      is_done = directive == ZSTD_e_end ? left == 0 : in.pos == in.size;
    }
  }

  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
  std::array<char, kPieceBytes> piece_;
};

class GzipCompressor final : public Compressor {
 public:
  explicit GzipCompressor(int level) {
    if (deflateInit2(&stream_, level, Z_DEFLATED, kGzipOnly, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  }
  ~GzipCompressor() override { deflateEnd(&stream_); }
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;

  void add(std::string_view content, const Sink& sink) override {
    constexpr std::size_t kMost = 1u << 30;  // zlib counts in 32 bits
    for (; !content.empty(); content.remove_prefix(std::min(kMost, content.size())))
      run(content.substr(0, kMost), Z_NO_FLUSH, sink);
  }
  void end(const Sink& sink) override {
    run({}, Z_FINISH, sink);
    deflateReset(&stream_);
  }

 private:
  void run(std::string_view content, int flush, const Sink& sink) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));  // only read
    stream_.avail_in = static_cast<uInt>(content.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
      stream_.avail_out = static_cast<uInt>(piece_.size());
      ONTIME_CHECK(deflate(&stream_, flush) != Z_STREAM_ERROR, "zlib goes on");
      const std::size_t made = piece_.size() - stream_.avail_out;
      if (made > 0) sink({piece_.data(), made});
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::array<char, kPieceBytes> piece_;
};

class ZstdDecompressor final : public Decompressor {
 public:
  ZstdDecompressor() : context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (!context_) throw std::bad_alloc();
  }

  Step decompress(std::string_view stored, char* to, std::size_t size) override {
    ZSTD_inBuffer in{stored.data(), stored.size(), 0};
    ZSTD_outBuffer out{to, size, 0};
    const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(left)) return {in.pos, out.pos, false, ZSTD_getErrorName(left)};
    return {in.pos, out.pos, left == 0 && in.pos > 0, nullptr};
  }

 private:
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
};

class GzipDecompressor final : public Decompressor {
 public:
  GzipDecompressor() {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecompressor() override { inflateEnd(&stream_); }
  GzipDecompressor(const GzipDecompressor&) = delete;
  GzipDecompressor& operator=(const GzipDecompressor&) = delete;

  Step decompress(std::string_view stored, char* to, std::size_t size) override {
    constexpr std::size_t kMost = 1u << 30;
    const auto given = static_cast<uInt>(std::min(stored.size(), kMost));
    const auto room = static_cast<uInt>(std::min(size, kMost));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));  // only read
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    Step step{given - stream_.avail_in, room - stream_.avail_out, code == Z_STREAM_END, nullptr};
    if (step.ends_frame)
      inflateReset(&stream_);
    else if (code != Z_OK && code != Z_BUF_ERROR)
      step.error = stream_.msg != nullptr ? stream_.msg : zError(code);
    return step;
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Compressor> make_compressor(const Compression& compression) {
  if (compression.codec == Codec::Zstd) return std::make_unique<ZstdCompressor>(compression.level);
  if (compression.codec == Codec::Gzip) return std::make_unique<GzipCompressor>(compression.level);
  return nullptr;
}

std::unique_ptr<Decompressor> make_decompressor(Codec codec) {
  if (codec == Codec::Zstd) return std::make_unique<ZstdDecompressor>();
  if (codec == Codec::Gzip) return std::make_unique<GzipDecompressor>();
  return nullptr;
}

}  // namespace ontime::frames
