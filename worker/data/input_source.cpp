#include "worker/data/input_source.h"

#include <algorithm>
#include <iterator>

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

  Outcome<std::uint64_t> skip_to(std::uint64_t offset, std::uint64_t /*begin*/) override {
    offset_ = std::min(offset, input_.file().size);
    return offset_;
  }

 private:
  StoredInput& input_;
  std::uint64_t offset_ = 0;
};

constexpr const char* kMoreThanSaid = "it holds more than its headers say";

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
  void restart() override {}
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

// A file that is divided by what its headers say is read in parts that nobody compares. So what they say is checked by
// the reader that passes it: each access point lies in one range, whose reader began at an earlier one and goes beyond it,
// and the reader of the last range finds that the content is as long as they say.
Outcome<std::size_t> CompressedSource::read(char* to, std::size_t size) {
  auto got = read_some(to, size);
  const std::uint64_t length = input_.file().length();
  if (!got || length == 0) return got;
  if (offset_ > length) return broken(kMoreThanSaid);
  if (offset_ == length) {
    char beyond = 0;
    const auto more = read_some(&beyond, 1);  // checks the end of the last block, too
    if (!more) return more.error();
    if (*more > 0) return broken(kMoreThanSaid);
  } else if (*got < size) {
    return broken("it holds less than its headers say");
  }
  return got;
}

Outcome<std::size_t> CompressedSource::read_some(char* to, std::size_t size) {
  std::size_t total = 0;
  while (total < size) {
    const Step step =
        decompress({stored_.data() + stored_begin_, stored_end_ - stored_begin_}, to + total, size - total);
    stored_begin_ += step.consumed;
    total += step.produced;
    offset_ += step.produced;
    if (step.error != nullptr) return broken(step.error);
    if (!meets_points()) return broken("a block does not begin where the headers say");
    if (step.produced > 0 || stored_begin_ < stored_end_) continue;
    auto more = refill();
    if (!more) return std::move(more).error();
    if (*more) continue;
    if (!may_end()) return broken("the file ends in the middle of it");
    break;
  }
  return total;
}

Outcome<std::uint64_t> CompressedSource::skip_to(std::uint64_t offset, std::uint64_t begin) {
  jump_towards(begin);
  std::vector<char> discarded(kStoredBytes);
  while (offset_ < offset) {
    const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(discarded.size(), offset - offset_));
    auto got = read(discarded.data(), want);
    if (!got) return std::move(got).error();
    if (*got == 0) break;
  }
  return offset_;
}

// To the last access point before `begin`, unless reading on from here is nearer. Never to one in the range itself,
// which has to be checked.
void CompressedSource::jump_towards(std::uint64_t begin) {
  const std::vector<AccessPoint>& points = input_.file().points;
  const auto is_before = [](const AccessPoint& point, std::uint64_t at) { return point.content < at; };
  const auto behind = std::lower_bound(points.begin(), points.end(), begin, is_before);
  if (behind == points.begin() || std::prev(behind)->content <= offset_) return;
  next_point_ = static_cast<std::size_t>(behind - points.begin());
  offset_ = std::prev(behind)->content;
  stored_offset_ = std::prev(behind)->stored;
  stored_begin_ = stored_end_ = 0;
  restart();
}

// False as soon as an access point that should have come by now has not.
bool CompressedSource::meets_points() {
  const std::vector<AccessPoint>& points = input_.file().points;
  for (; next_point_ < points.size() && points[next_point_].content <= offset_; ++next_point_) {
    const AccessPoint& next = points[next_point_];
    const bool may_follow = next.content == offset_ && (!may_end() || stored_position() < next.stored);
    if (may_follow) return true;
    if (next != AccessPoint{offset_, stored_position()}) return false;
  }
  return true;
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
  return {FaultKind::BadRecord, "the compressed stream in " + input_.file().path + " is broken at byte " +
                                    std::to_string(stored_position()) + " (byte " + std::to_string(offset_) +
                                    " of its content): " + why};
}

}  // namespace ontime::worker
