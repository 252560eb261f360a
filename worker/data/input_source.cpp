#include "worker/data/input_source.h"

#include <algorithm>

#include "common/http/url.h"
#include "common/s3/name.h"

namespace ontime::worker {

Fault StoredInput::changed(const std::string& how) const {
  return {FaultKind::InputChanged,
          "the input " + file_.path + " changed after the job was submitted: " + how + "; submit the job again"};
}

Outcome<std::unique_ptr<StoredInput>> open_input(InputFile file, const InputAccess& access) {
  const bool is_remote = http::is_url(file.path) || s3::is_name(file.path);
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

  Outcome<std::uint64_t> skip_to(std::uint64_t offset) override {
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
  explicit StreamSource(StoredInput& input) : CompressedSource(input) {}

 private:
  Step decompress(std::string_view stored, char* to, std::size_t size) override {
    size = std::min(size, stored.size());
    std::copy_n(stored.data(), size, to);
    return {size, size, nullptr};
  }
  bool may_end() const override { return true; }
};

}  // namespace

std::unique_ptr<InputSource> make_source(StoredInput& input) {
  switch (input.file().codec) {
    case Codec::Gzip:
      return make_gzip_source(input);
    case Codec::Zstd:
      return make_zstd_source(input);
    case Codec::Stream:
      return std::make_unique<StreamSource>(input);
    case Codec::Plain:
      break;
  }
  return std::make_unique<PlainSource>(input);
}

Outcome<std::size_t> CompressedSource::read(char* to, std::size_t size) {
  std::size_t total = 0;
  while (total < size) {
    const Step step =
        decompress({stored_.data() + stored_begin_, stored_end_ - stored_begin_}, to + total, size - total);
    stored_begin_ += step.consumed;
    total += step.produced;
    offset_ += step.produced;
    if (step.error != nullptr) return broken(step.error);
    if (step.produced > 0 || stored_begin_ < stored_end_) continue;
    auto more = refill();
    if (!more) return std::move(more).error();
    if (*more) continue;
    if (!may_end()) return broken("the file ends in the middle of it");
    break;
  }
  return total;
}

Outcome<std::uint64_t> CompressedSource::skip_to(std::uint64_t offset) {
  std::vector<char> discarded(kStoredBytes);
  while (offset_ < offset) {
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(discarded.size(), offset - offset_));
    auto got = read(discarded.data(), want);
    if (!got) return std::move(got).error();
    if (*got == 0) break;
  }
  return offset_;
}

Outcome<bool> CompressedSource::refill() {
  auto got = input_.read_at(stored_.data(), stored_.size(), stored_offset_);
  if (!got) return std::move(got).error();
  stored_begin_ = 0;
  stored_end_ = *got;
  stored_offset_ += *got;
  return *got > 0;
}

// A file that was changed under our hands looks broken too; that is then the better thing to say.
Fault CompressedSource::broken(const char* why) const {
  if (auto same = input_.check_unchanged(); !same) return std::move(same).error();
  const std::uint64_t at = stored_offset_ - (stored_end_ - stored_begin_);
  return {FaultKind::BadRecord, "the compressed stream in " + input_.file().path + " is broken at byte " +
                                    std::to_string(at) + " (byte " + std::to_string(offset_) +
                                    " of its content): " + why};
}

}  // namespace ontime::worker
