#include "worker/data/compressed_source.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include "common/base/units.h"
#include "common/hash/sha256.h"

namespace ontime::worker {
namespace {

constexpr const char* kMoreThanSaid = "it holds more than its headers or its index say";

// Places in the order of the file: by byte, then by bit.
auto order_of(std::uint64_t stored, std::uint64_t state) { return std::tuple(stored, state & 7); }

}  // namespace

CompressedSource::CompressedSource(StoredInput& input, const InputAccess& access)
    : input_(input),
      notes_((input.file().length() == 0 || access.notes.also_of_known) && input.has_parts() ? access.notes
                                                                                             : InputNotes{}),
      window_bytes_max_(access.window_bytes_max),
      start_(input.file().start) {}

// A file that is divided by access points is read in parts that nobody compares. So each point is checked by the reader
// that passes it: it lies in one range, whose reader began at an earlier one and goes beyond it. What the window of a
// point has to be is checked too, by its hash. And the reader of the last range finds that the content is as long as it
// should be. So wrong points cost an error and not an answer.
Outcome<std::size_t> CompressedSource::read(char* to, std::size_t size) {
  const bool is_begin = offset_ == 0;
  auto got = read_some(to, size);
  if (got && is_begin) {
    const std::string_view content(to, *got);
    if (is_tar(content)) return inside("a tar archive, whose headers are no records; unpack it into a directory");
    if (codec_by_magic(content) != Codec::Plain) return inside("what is compressed once more; decompress it once");
  }
  const std::uint64_t length = input_.file().length();
  if (!got || length == 0) return got;
  if (offset_ > length) return broken(kMoreThanSaid);
  if (offset_ == length) {
    char beyond = 0;
    const auto more = read_some(&beyond, 1);  // checks the end of the last block, too
    if (!more) return more.error();
    if (*more > 0) return broken(kMoreThanSaid);
  } else if (*got < size) {
    return broken("it holds less than its headers or its index say");
  }
  return got;
}

Outcome<std::size_t> CompressedSource::read_some(char* to, std::size_t size) {
  std::size_t total = 0;
  while (total < size) {
    auto padding = skip_padding();
    if (!padding) return std::move(padding).error();
    if (*padding) continue;
    const Step step =
        decompress({stored_.data() + stored_begin_, stored_end_ - stored_begin_}, to + total, size - total);
    stored_begin_ += step.consumed;
    total += step.produced;
    offset_ += step.produced;
    if (step.window > 0) return too_large(step.window);
    if (step.error != nullptr) return broken(step.error);
    if (!meets_points()) return broken("a block does not begin where its headers or its index say");
    note_place();
    if (step.produced > 0 || step.goes_on || stored_begin_ < stored_end_) continue;
    auto more = refill();
    if (!more) return std::move(more).error();
    if (*more) continue;
    if (!may_end()) return broken("the file ends in the middle of it");
    if (notes_.on_end) notes_.on_end(offset_);
    break;
  }
  return total;
}

// One rule for all formats: behind the end of a stream come zero bytes, another stream, or nothing.
Outcome<bool> CompressedSource::skip_padding() {
  if (stored_begin_ == stored_end_ || stored_position() == 0 || !may_end()) return false;
  const std::string_view stored(stored_.data() + stored_begin_, stored_end_ - stored_begin_);
  const std::size_t zeros = std::min(stored.find_first_not_of('\0'), stored.size());
  stored_begin_ += zeros;
  if (zeros < stored.size() && !may_follow(stored[zeros])) return broken(stranger());
  return zeros > 0;
}

const char* CompressedSource::stranger() {
  const std::string format = name_of(input_.file().codec);
  stranger_ =
      "what follows its end is no " + format + "; '" + format + " -dc FILE | " + format + " > NEW' leaves it out";
  return stranger_.c_str();
}

Outcome<std::uint64_t> CompressedSource::skip_to(std::uint64_t offset, std::uint64_t begin) {
  if (auto jumped = jump_towards(begin); !jumped) return std::move(jumped).error();
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
Outcome<void> CompressedSource::jump_towards(std::uint64_t begin) {
  StartPoint best;
  if (start_ && start_->point.content < begin) best = *start_;
  for (const AccessPoint& point : input_.file().points) {
    if (point.content >= begin) break;
    if (!point.needs_window() && point.content > best.point.content) best = {point};
  }
  if (best.point.content <= offset_) return {};
  const auto is_before = [](std::uint64_t at, const AccessPoint& point) { return at < point.content; };
  const std::vector<AccessPoint>& points = input_.file().points;
  const auto behind = std::upper_bound(points.begin(), points.end(), best.point.content, is_before);
  next_point_ = static_cast<std::size_t>(behind - points.begin());
  noted_ = offset_ = best.point.content;
  stored_offset_ = best.point.stored;
  stored_begin_ = stored_end_ = 0;
  if (!restart(best)) return broken("its index has no such place");
  return {};
}

// False as soon as an access point that should have come by now has not.
bool CompressedSource::meets_points() {
  const std::vector<AccessPoint>& points = input_.file().points;
  for (; next_point_ < points.size() && points[next_point_].content <= offset_; ++next_point_) {
    const AccessPoint& next = points[next_point_];
    const auto here = place(stored_position());
    const bool is_before = !here || order_of(here->stored, here->state) < order_of(next.stored, next.state);
    if (next.content == offset_ && is_before) return true;  // it may follow
    if (next.content != offset_ || here->stored != next.stored || here->state != next.state) return false;
    if (next.needs_window() && hash_of_window(window()) != next.window) return false;
  }
  return true;
}

void CompressedSource::note_place() {
  if (!notes_.on_point || offset_ - noted_ < notes_.apart_at(offset_)) return;
  const auto here = place(stored_position());
  if (!here || offset_ - noted_ < notes_.apart_at(offset_, needs_window() ? 4 : 1)) return;
  StartPoint start{{offset_, here->stored, here->state}};
  if (needs_window()) {
    const std::string before = window();
    start.point.window = hash_of_window(before);
    start.window = pack_window(before);
  }
  noted_ = offset_;
  notes_.on_point(std::move(start));
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

// What would be read as records, and holds none.
Fault CompressedSource::inside(const char* what) const {
  return {FaultKind::BadRecord, input_.file().path + " holds " + what + ", and name that"};
}

Fault CompressedSource::too_large(std::uint64_t window) const {
  constexpr std::uint64_t kMiB = 1u << 20;
  return {FaultKind::BadRecord, "decompressing " + input_.file().path + " takes " + format_size(window) +
                                    " of memory, and the job allows " + format_size(window_bytes_max_) +
                                    "; raise that with --max-window " + std::to_string((window + kMiB - 1) / kMiB) +
                                    "MiB"};
}

WindowHash hash_of_window(std::string_view window) {
  WindowHash first{};
  std::copy_n(hash::sha256(window).begin(), first.size(), first.begin());
  return first;
}

std::string pack_window(std::string_view window) {
  std::string packed(ZSTD_compressBound(window.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), window.data(), window.size(), 1));
  return packed;
}

std::optional<std::string> unpack_window(std::string_view packed, const WindowHash& hash) {
  std::string window(kWindowBytes, '\0');
  const std::size_t size = ZSTD_decompress(window.data(), window.size(), packed.data(), packed.size());
  if (ZSTD_isError(size)) return std::nullopt;
  window.resize(size);
  return hash_of_window(window) == hash ? std::optional(std::move(window)) : std::nullopt;
}

}  // namespace ontime::worker
