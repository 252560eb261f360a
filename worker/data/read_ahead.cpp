#include "worker/data/read_ahead.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

#include "common/base/check.h"
#include "common/base/median.h"
#include "common/base/time.h"

namespace ontime::worker {
namespace {

constexpr double kHedgedShare = 0.05;                             // a second request for each twentieth byte
constexpr double kSlowness = 4;                                   // times the usual time of so many bytes
constexpr Duration kHedgeAfter = std::chrono::milliseconds(250);  // not before

}  // namespace

ReadAhead::ReadAhead(Open open, const http::State& state, std::uint64_t end, std::uint64_t long_request_bytes)
    : open_(std::move(open)),
      state_(state),
      probable_end_(end),
      long_request_bytes_(long_request_bytes),
      has_long_requests_(open_(nullptr)->has_costly_requests()),
      ranges_max_(has_long_requests_ ? kSmallRanges : kConnections),
      range_bytes_max_(has_long_requests_ ? kFirstRangeBytes : kRangeBytes) {}

ReadAhead::~ReadAhead() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  for (auto& over : has_lost_) over = true;
  changed_.notify_all();
}

void ReadAhead::start_at(std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  ranges_.clear();  // those under way are dropped when they arrive
  has_lost_[kHedger] = true;
  next_ = planned_ = offset;
  range_bytes_ = kFirstRangeBytes;
  end_ = std::min(state_.size, offset < probable_end_ ? probable_end_ : offset + kFirstRangeBytes);
  look_ = has_long_requests_ && offset < probable_end_ ? Look::Wanted : Look::Unwanted;
  plan();
  const std::size_t most = has_long_requests_ ? 1 : kConnections;
  while (fetchers_.size() < std::min(most, ranges_.size()) && start_fetcher()) continue;
}

http::Answer<std::size_t> ReadAhead::read(char* to, std::size_t size) {
  std::unique_lock lock(mutex_);
  while (!ranges_.front()->is_there)
    if (changed_.wait_until(lock, hedge_at()) == std::cv_status::timeout) hedge();
  const std::shared_ptr<Range> range = ranges_.front();
  if (range->failure) return *range->failure;
  const auto begin = static_cast<std::size_t>(next_ - range->begin);
  size = std::min(size, range->bytes.size() - begin);
  std::memcpy(to, range->bytes.data() + begin, size);
  next_ += size;
  if (begin + size == range->bytes.size()) {
    spare_ = std::move(range->bytes);
    ranges_.pop_front();
    plan();
  }
  return size;
}

// A read-ahead that has no fetcher at all fails.
bool ReadAhead::start_fetcher() {
  try {
    fetchers_.emplace_back([this, index = fetchers_.size()] { fetch(index); });
    return true;
  } catch (const std::system_error&) {
    if (!fetchers_.empty()) return false;
    ranges_.front()->failure = http::Failure{http::Trouble::Unavailable, "this machine cannot start another thread"};
    ranges_.front()->is_there = true;
    return false;
  }
}

void ReadAhead::plan() {
  while (ranges_.size() < ranges_max_ && planned_ < end_) {
    const auto size = std::min<std::uint64_t>(range_bytes_, end_ - planned_);
    range_bytes_ = std::min(2 * range_bytes_, range_bytes_max_);
    ranges_.push_back(std::make_shared<Range>());
    ranges_.back()->begin = planned_;
    ranges_.back()->bytes = std::exchange(spare_, {});
    ranges_.back()->bytes.resize(static_cast<std::size_t>(size));
    planned_ += size;
    hedges_left_ = std::min(hedges_left_ + kHedgedShare * static_cast<double>(size) / kRangeBytes, 1.0);
  }
  changed_.notify_all();
}

// The next one that nobody fetches; none if it does not begin there.
std::shared_ptr<ReadAhead::Range> ReadAhead::take(std::size_t fetcher, std::optional<std::uint64_t> begin) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (is_over_) return nullptr;
    has_lost_[fetcher] = false;
    for (const auto& range : ranges_) {
      if (range->fetcher) continue;
      if (begin && range->begin != *begin) return nullptr;
      range->fetcher = fetcher;
      return range;
    }
    changed_.wait(lock);
  }
}

void ReadAhead::fetch(std::size_t fetcher) {
  const auto file = open_(&has_lost_[fetcher]);
  while (const auto range = take(fetcher)) {
    if (has_long_requests_) {
      fetch_on(*file, fetcher, range);
      look_last(*file);
    } else {
      const auto read = file->read(state_, range->begin, range->bytes.size(), range->bytes.data());
      finish(*range, read, range->begin + range->bytes.size());
    }
  }
}

// Those that one fetcher fills, one behind the other.
struct ReadAhead::Ranges final : http::Sink {
  Ranges(ReadAhead& the_owner, std::size_t the_fetcher, std::shared_ptr<Range> range)
      : owner(the_owner), fetcher(the_fetcher), current(std::move(range)), next(current->begin) {}

  std::span<char> room() override {
    if (!current) current = owner.take(fetcher, next);
    if (!current) return {};
    return std::span(current->bytes).subspan(static_cast<std::size_t>(next - current->begin));
  }
  void add(std::size_t size) override {
    next += size;
    if (next == current->begin + current->bytes.size()) owner.finish(*std::exchange(current, nullptr), {}, next);
  }

  ReadAhead& owner;
  const std::size_t fetcher;
  std::shared_ptr<Range> current;  // null: full, and the next one is not known yet
  std::uint64_t next;              // byte that comes
};

// This one and those behind it by one request, whose bytes wait until the next one is planned. A request that ends
// within a range is followed by one for the rest.
void ReadAhead::fetch_on(http::RangedFile& file, std::size_t fetcher, std::shared_ptr<Range> range) {
  Ranges ranges(*this, fetcher, std::move(range));
  while (ranges.current) {
    const std::uint64_t size = size_of_request(*ranges.current, ranges.next);
    const std::uint64_t end = ranges.next + size;
    const auto read = file.read(state_, ranges.next, size, ranges);
    ONTIME_CHECK(!read || !ranges.current || ranges.next == end, "a request that succeeds brings all that it asks for");
    if (ranges.current && !read) finish(*std::exchange(ranges.current, nullptr), read, ranges.next);
  }
}

bool ReadAhead::has_all() const {
  const auto has_come = [](const auto& range) { return range->is_there && !range->failure; };
  return planned_ == end_ && std::all_of(ranges_.begin(), ranges_.end(), has_come);
}

// While what has come is still being read.
void ReadAhead::look_last(http::RangedFile& file) {
  std::unique_lock lock(mutex_);
  if (look_ != Look::Wanted || !has_all()) return;
  look_ = Look::UnderWay;
  lock.unlock();
  auto looked = file.look();
  lock.lock();
  if (look_ != Look::UnderWay) return;
  looked_ = std::move(looked);
  look_ = Look::Known;
  changed_.notify_all();
}

// If all bytes have come and the fetcher has not begun its last look, the caller looks instead.
std::optional<http::Answer<http::State>> ReadAhead::last_look() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return look_ != Look::UnderWay; });
  if (look_ == Look::Known) return looked_;
  if (has_all()) look_ = Look::Unwanted;
  return std::nullopt;
}

void ReadAhead::forget_last_look() {
  const std::lock_guard lock(mutex_);
  look_ = Look::Unwanted;
}

// From that byte of the range on. What would be left for a small one behind it comes with it.
std::uint64_t ReadAhead::size_of_request(const Range& first, std::uint64_t begin) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t rest = first.begin + first.bytes.size() - begin;
  const std::uint64_t left = std::max(end_, begin) - begin;
  return std::max(rest, left <= long_request_bytes_ + kFirstRangeBytes ? left : long_request_bytes_);
}

// `end`: of the bytes that have come.
void ReadAhead::finish(Range& range, const http::Answer<void>& read, std::uint64_t end) {
  ONTIME_CHECK(!read || end == range.begin + range.bytes.size(), "a range that is there has all of its bytes");
  const std::lock_guard lock(mutex_);
  if (!read) range.failure = read.error();
  if (read) note_pace(range);
  if (has_long_requests_) came_at_ = Clock::now();
  range.is_there = true;
  if (range.is_hedged) has_lost_[kHedger] = true;
  changed_.notify_all();
}

void ReadAhead::note_pace(const Range& range) {
  paces_.push_back(seconds(Clock::now() - awaited_since(range)) / static_cast<double>(range.bytes.size()));
  if (paces_.size() > 9) paces_.pop_front();
}

// Small ranges may come in bursts, between which most take no time at all.
double ReadAhead::usual_pace() const {
  if (has_long_requests_) return *std::max_element(paces_.begin(), paces_.end());
  return median_of({paces_.begin(), paces_.end()});
}

// When the range that is waited for is asked for once more. Far away if that is not allowed, or nothing is usual yet.
ReadAhead::Clock::time_point ReadAhead::hedge_at() const {
  const Range& range = *ranges_.front();
  if (range.is_hedged || is_hedging_ || hedges_left_ < 1 || paces_.size() < 3)
    return Clock::now() + std::chrono::hours(1);
  const auto slow = from_seconds(kSlowness * usual_pace() * static_cast<double>(range.bytes.size()));
  return awaited_since(range) + std::chrono::duration_cast<Clock::duration>(std::max(slow, kHedgeAfter));
}

void ReadAhead::hedge() {
  if (Clock::now() < hedge_at()) return;
  const std::shared_ptr<Range> slow = ranges_.front();
  auto twin = std::make_shared<Range>();
  twin->begin = slow->begin;
  twin->bytes.resize(slow->bytes.size());
  slow->is_hedged = is_hedging_ = true;
  look_ = Look::Unwanted;  // the twin's bytes may come later
  has_lost_[kHedger] = is_over_;
  hedges_left_ -= 1;
  try {
    hedger_ = std::jthread([this, slow, twin] { race(slow, twin); });
  } catch (const std::system_error&) {  // no thread can be started: the first request goes on alone
    is_hedging_ = false;
  }
}

// A twin that fails changes nothing; one that comes first takes the range's place, and its fetcher gives up.
void ReadAhead::race(const std::shared_ptr<Range>& slow, const std::shared_ptr<Range>& twin) {
  const auto file = open_(&has_lost_[kHedger]);
  const auto read = file->read(state_, twin->begin, twin->bytes.size(), twin->bytes.data());
  const std::lock_guard lock(mutex_);
  is_hedging_ = false;
  const auto place = std::find(ranges_.begin(), ranges_.end(), slow);
  if (!read || place == ranges_.end() || (slow->is_there && !slow->failure)) return;
  const std::optional<std::size_t> loser = has_long_requests_ ? 0 : slow->fetcher;  // it may stand between two ranges
  if (loser && !slow->is_there) has_lost_[*loser] = true;
  twin->fetcher = kHedger;
  twin->is_there = true;
  *place = twin;
  changed_.notify_all();
}

}  // namespace ontime::worker
