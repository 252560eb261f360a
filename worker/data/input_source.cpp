#include "worker/data/input_source.h"

#include <algorithm>

#include "common/http/url.h"
#include "common/store/name.h"
#include "worker/data/compressed_source.h"

namespace ontime::worker {

Fault StoredInput::changed(const std::string& how) const {
  return {FaultKind::InputChanged,
          "the input " + file_.path + " changed after the job was submitted: " + how + "; submit the job again"};
}

Outcome<std::unique_ptr<StoredInput>> open_input(InputFile file, const InputAccess& access) {
  const bool is_remote = http::is_url(file.path) || store::is_name(file.path);
  return is_remote ? open_http_input(std::move(file), access) : open_local_input(std::move(file), access);
}

namespace {

class PlainSource final : public InputSource {
 public:
  explicit PlainSource(StoredInput& input) : input_(input) {}

  Outcome<std::size_t> read(char* to, std::size_t size) override {
    std::size_t total = 0;
    while (total < size) {
      auto got = input_.read_at(to + total, size - total, offset_);
      if (!got) return std::move(got).error();
      if (*got == 0) break;
      total += *got;
      offset_ += *got;
    }
    return total;
  }

  Outcome<std::uint64_t> skip_to(std::uint64_t offset, std::uint64_t /*begin*/) override {
    offset_ = std::min(offset, input_.file().size);
    return offset_;
  }

 private:
  StoredInput& input_;
  std::uint64_t offset_ = 0;
};

// Nothing is compressed, but it comes from its begin only.
class StreamSource final : public CompressedSource {
 public:
  explicit StreamSource(StoredInput& input) : CompressedSource(input, {}) {}

 private:
  Step decompress(std::string_view stored, char* to, std::size_t size) override {
    size = std::min(size, stored.size());
    std::copy_n(stored.data(), size, to);
    return {size, size, nullptr};
  }
  bool may_end() const override { return true; }
  std::optional<StoredPosition> place(std::uint64_t /*position*/) const override { return std::nullopt; }
  bool may_follow(char /*first*/) const override { return true; }
  bool restart(const StartPoint& /*start*/) override { return false; }
};

}  // namespace

std::unique_ptr<InputSource> make_source(StoredInput& input, const InputAccess& access) {
  switch (input.file().codec) {
    case Codec::Gzip:
      return make_gzip_source(input, access);
    case Codec::Zstd:
      return make_zstd_source(input, access);
    case Codec::Xz:
      return make_xz_source(input, access);
    case Codec::Bzip2:
      return make_bzip2_source(input, access);
    case Codec::Stream:
      return std::make_unique<StreamSource>(input);
    case Codec::Plain:
      break;
  }
  return std::make_unique<PlainSource>(input);
}

}  // namespace ontime::worker
