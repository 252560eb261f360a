// Inputs that web servers and stores have. Ranges are fetched ahead of who reads, several at a time. One that takes
// much longer than the ranges before it is asked for again on another connection, and whichever is there first counts.
// One range in twenty may be. Where requests cost much, one that brings many ranges takes the place of several at a
// time. Memory is bounded by kRangeBytes * (2 * kConnections + 2): ranges that wait, those under way that a seek has
// dropped, the spare one, and the one that is asked for again; and by the piece of common/http/take_rest.h for each.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/median.h"
#include "common/hdfs/file_system.h"
#include "common/http/remote_file.h"
#include "worker/data/input_source.h"
#include "worker/data/whole_file.h"

namespace ontime::worker {
namespace {

constexpr std::size_t kRangeBytes = 8u << 20;
constexpr std::size_t kFirstRangeBytes = kRangeBytes / 32;  // the first is there soon; each next one has twice as many
constexpr std::size_t kConnections = 2;
constexpr double kHedgesPerRange = 0.05;                          // a second request for each twentieth range
constexpr double kSlowness = 4;                                   // times the usual time of so many bytes
constexpr Duration kHedgeAfter = std::chrono::milliseconds(250);  // not before

// How the file of that name is fetched from its address, which may be one of the worker's own (common/hdfs/lender.h).
std::unique_ptr<http::RangedFile> ranged_file(const std::string& name, const http::Url& url,
                                              const std::atomic<bool>* is_over = nullptr) {
  if (hdfs::is_name(name) && url.path.starts_with("/webhdfs/")) return std::make_unique<hdfs::RemoteFile>(url, is_over);
  return std::make_unique<http::RemoteFile>(url, is_over);
}

// Ranges of a file, one behind the other from some offset on.
class ReadAhead {
 public:
  // `end`: what lies behind is probably not wanted. `long_request_bytes`: as of InputAccess.
  ReadAhead(std::string name, const http::Url& url, const http::State& state, std::uint64_t end,
            std::uint64_t long_request_bytes)
      : name_(std::move(name)),
        url_(url),
        state_(state),
        probable_end_(end),
        long_request_bytes_(long_request_bytes),
        has_long_requests_(ranged_file(name_, url_)->has_costly_requests()) {}
  ~ReadAhead() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    for (auto& over : has_lost_) over = true;
    changed_.notify_all();
  }

  // Whether `offset` is where the one before ended, or lies in what is being fetched.
  bool covers(std::uint64_t offset) const { return offset == next_ && !ranges_.empty(); }

  void start_at(std::uint64_t offset) {
    const std::lock_guard lock(mutex_);
    ranges_.clear();  // those under way are dropped when they arrive
    has_lost_[kHedger] = true;
    next_ = planned_ = offset;
    range_bytes_ = kFirstRangeBytes;
    end_ = std::min(state_.size, offset < probable_end_ ? probable_end_ : offset + kFirstRangeBytes);
    plan();
    const std::size_t most = has_long_requests_ ? 1 : kConnections;
    while (fetchers_.size() < std::min(most, ranges_.size()) && start_fetcher()) continue;
  }

  // From where the one before ended.
  http::Answer<std::size_t> read(char* to, std::size_t size) {
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

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kHedger = kConnections;  // its place among the fetchers

  struct Range {
    std::uint64_t begin = 0;
    std::vector<char> bytes{};
    Clock::time_point planned_at = Clock::now();
    std::optional<std::size_t> fetcher{};
    bool is_hedged = false;
    bool is_there = false;
    std::optional<http::Failure> failure{};
  };

  // A read-ahead that has no fetcher at all fails.
  bool start_fetcher() {
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

  void plan() {
    while (ranges_.size() < kConnections && planned_ < end_) {
      const auto size = std::min<std::uint64_t>(range_bytes_, end_ - planned_);
      range_bytes_ = std::min(2 * range_bytes_, kRangeBytes);
      ranges_.push_back(std::make_shared<Range>());
      ranges_.back()->begin = planned_;
      ranges_.back()->bytes = std::exchange(spare_, {});
      ranges_.back()->bytes.resize(static_cast<std::size_t>(size));
      planned_ += size;
      hedges_left_ = std::min(hedges_left_ + kHedgesPerRange, 1.0);
    }
    changed_.notify_all();
  }

  // The next one that nobody fetches; none if it does not begin there.
  std::shared_ptr<Range> take(std::size_t fetcher, std::optional<std::uint64_t> begin = {}) {
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

  void fetch(std::size_t fetcher) {
    const auto file = ranged_file(name_, url_, &has_lost_[fetcher]);
    while (const auto range = take(fetcher)) {
      const auto began = Clock::now();
      if (has_long_requests_) {
        fetch_on(*file, fetcher, range);
      } else {
        const auto read = file->read(state_, range->begin, range->bytes.size(), range->bytes.data());
        finish(*range, began, read, range->begin + range->bytes.size());
      }
    }
  }

  // This one and those behind it by one request, whose bytes wait until the next one is planned. A request that ends
  // within a range is followed by one for the rest.
  void fetch_on(http::RangedFile& file, std::size_t fetcher, std::shared_ptr<Range> range) {
    std::uint64_t next = range->begin;  // byte that comes
    auto began = Clock::now();
    const auto take_some = [&](const char* bytes, std::size_t count) {
      while (count > 0) {
        if (!range) {
          range = take(fetcher, next);
          began = Clock::now();
        }
        if (!range) return false;
        const auto got = static_cast<std::size_t>(next - range->begin);
        const std::size_t size = std::min(count, range->bytes.size() - got);
        std::memcpy(range->bytes.data() + got, bytes, size);
        bytes += size;
        count -= size;
        next += size;
        if (got + size == range->bytes.size()) finish(*std::exchange(range, nullptr), began, {}, next);
      }
      return true;
    };
    while (range) {
      const std::uint64_t size = size_of_request(*range, next);
      const std::uint64_t end = next + size;
      const auto read = file.read_long(state_, next, size, take_some);
      ONTIME_CHECK(!read || !range || next == end, "a request that succeeds brings all that it asks for");
      if (range && !read) finish(*std::exchange(range, nullptr), began, read, next);
    }
  }

  // From that byte of the range on. What would be left for a small one behind it comes with it.
  std::uint64_t size_of_request(const Range& first, std::uint64_t begin) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t rest = first.begin + first.bytes.size() - begin;
    const std::uint64_t left = std::max(end_, begin) - begin;
    return std::max(rest, left <= long_request_bytes_ + kFirstRangeBytes ? left : long_request_bytes_);
  }

  // `end`: of the bytes that have come.
  void finish(Range& range, Clock::time_point began, const http::Answer<void>& read, std::uint64_t end) {
    ONTIME_CHECK(!read || end == range.begin + range.bytes.size(), "a range that is there has all of its bytes");
    const std::lock_guard lock(mutex_);
    if (!read) range.failure = read.error();
    if (read) note_pace(seconds(Clock::now() - began) / static_cast<double>(range.bytes.size()));
    range.is_there = true;
    if (range.is_hedged) has_lost_[kHedger] = true;
    changed_.notify_all();
  }

  void note_pace(double seconds_per_byte) {
    paces_.push_back(seconds_per_byte);
    if (paces_.size() > 9) paces_.pop_front();
  }

  // When the range that is waited for is asked for once more. Far away if that is not allowed, or nothing is usual yet.
  Clock::time_point hedge_at() const {
    const Range& range = *ranges_.front();
    if (range.is_hedged || is_hedging_ || hedges_left_ < 1 || paces_.size() < 3)
      return Clock::now() + std::chrono::hours(1);
    const double usual = median_of({paces_.begin(), paces_.end()});
    const auto slow = from_seconds(kSlowness * usual * static_cast<double>(range.bytes.size()));
    return range.planned_at + std::chrono::duration_cast<Clock::duration>(std::max(slow, kHedgeAfter));
  }

  void hedge() {
    if (Clock::now() < hedge_at()) return;
    const std::shared_ptr<Range> slow = ranges_.front();
    auto twin = std::make_shared<Range>();
    twin->begin = slow->begin;
    twin->bytes.resize(slow->bytes.size());
    slow->is_hedged = is_hedging_ = true;
    has_lost_[kHedger] = is_over_;
    hedges_left_ -= 1;
    try {
      hedger_ = std::jthread([this, slow, twin] { race(slow, twin); });
    } catch (const std::system_error&) {  // no thread can be started: the first request goes on alone
      is_hedging_ = false;
    }
  }

  // A twin that fails changes nothing; one that comes first takes the range's place, and its fetcher gives up.
  void race(const std::shared_ptr<Range>& slow, const std::shared_ptr<Range>& twin) {
    const auto file = ranged_file(name_, url_, &has_lost_[kHedger]);
    const auto read = file->read(state_, twin->begin, twin->bytes.size(), twin->bytes.data());
    const std::lock_guard lock(mutex_);
    is_hedging_ = false;
    const auto place = std::find(ranges_.begin(), ranges_.end(), slow);
    if (!read || place == ranges_.end() || (slow->is_there && !slow->failure)) return;
    if (slow->fetcher && !slow->is_there) has_lost_[*slow->fetcher] = true;
    twin->fetcher = kHedger;
    twin->is_there = true;
    *place = twin;
    changed_.notify_all();
  }

  const std::string name_;
  const http::Url url_;
  const http::State state_;
  const std::uint64_t probable_end_;
  const std::uint64_t long_request_bytes_;
  const bool has_long_requests_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Range>> ranges_;   // the first is the one that is read
  std::vector<char> spare_;                     // memory that is used again: pages that are fresh cost time
  std::uint64_t next_ = 0;                      // to be read
  std::uint64_t planned_ = 0;                   // the end of the ranges
  std::uint64_t end_ = 0;                       // of what is fetched ahead
  std::size_t range_bytes_ = kFirstRangeBytes;  // of the next one
  double hedges_left_ = 1;
  bool is_hedging_ = false;
  std::deque<double> paces_;  // of the latest ranges, in seconds for a byte
  bool is_over_ = false;
  std::array<std::atomic<bool>, kConnections + 1> has_lost_{};  // what this fetcher does is not wanted any more
  std::list<std::jthread> fetchers_;                            // last: they end before the rest goes
  std::jthread hedger_;
};

class HttpInput final : public StoredInput {
 public:
  HttpInput(InputFile file, const InputAccess& access)
      : StoredInput(std::move(file)), access_(access), state_{this->file().size, this->file().version} {}

  // Where it is fetched from, from now on.
  Outcome<void> find() {
    std::string address = file().path;
    if (access_.address) {
      auto given = access_.address();
      if (!given) return std::move(given).error();
      address = std::move(*given);
    }
    const auto url = http::parse_url(address);
    if (!url) return Fault{FaultKind::Input, url.error().message};
    ahead_.reset();
    url_ = *url;
    remote_ = ranged_file(file().path, *url);
    ahead_ = std::make_unique<ReadAhead>(file().path, *url, state_, access_.end, access_.long_request_bytes);
    has_worked_ = false;
    return {};
  }

  // What follows on what was read before is fetched ahead; a look at another place is a request of its own.
  Outcome<std::size_t> read_at(char* to, std::size_t size, std::uint64_t offset) override {
    if (offset >= file().size) return std::size_t{0};
    if (!has_parts_) return read_whole(to, size, offset);
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, file().size - offset));
    return insist<std::size_t>(offset, [&] { return fetch(to, size, offset); });
  }

  Outcome<void> check_unchanged() override {
    const auto now = insist<http::State>(0, [&] { return remote_->look(); });
    if (!now) return now.error();
    has_parts_ = now->has_parts;
    if (*now != state_) return changed("it is another version now");
    return {};
  }

  bool has_parts() const override { return has_parts_; }

 private:
  static constexpr std::uint64_t kNothingRead = ~std::uint64_t{0};

  Outcome<std::size_t> read_whole(char* to, std::size_t size, std::uint64_t offset) {
    if (file().codec == Codec::Plain || !file().points.empty() || offset != (whole_ ? whole_->offset() : 0))
      return changed("its server cannot send parts of it any more");
    if (!whole_) whole_ = std::make_unique<WholeFile>(url_, state_);
    auto read = whole_->read(to, size);
    if (!read) return fault(read.error(), offset);
    return *read;
  }

  http::Answer<std::size_t> fetch(char* to, std::size_t size, std::uint64_t offset) {
    const bool goes_on = offset == last_end_;
    if (!ahead_->covers(offset) && !goes_on) {
      // The first one is followed by the next.
      if (last_end_ == kNothingRead && file().codec == Codec::Plain && remote_->has_costly_requests())
        ahead_->start_at(offset + size);
      last_end_ = offset + size;
      if (auto read = remote_->read(state_, offset, size, to); !read) return std::move(read).error();
      return size;
    }
    if (!ahead_->covers(offset)) ahead_->start_at(offset);
    auto read = ahead_->read(to, size);
    if (read) last_end_ = offset + *read;
    return read;
  }

  // What a store refuses to an address that has been good before is asked for again at a fresh one.
  template <class T>
  Outcome<T> insist(std::uint64_t offset, const std::function<http::Answer<T>()>& fetch) {
    auto answer = fetch();
    if (!answer && is_refusal(answer.error().status) && access_.address && has_worked_) {
      if (auto found = find(); !found) return std::move(found).error();
      last_end_ = offset;
      answer = fetch();
    }
    if (!answer) return fault(answer.error(), offset);
    has_worked_ = true;
    return std::move(*answer);
  }
  static bool is_refusal(int status) { return status == 400 || status == 401 || status == 403; }

  Fault fault(const http::Failure& failure, std::uint64_t offset) const {
    if (failure.trouble == http::Trouble::Changed) return changed(failure.message);
    return {FaultKind::Input,
            "cannot read " + file().path + " at byte " + std::to_string(offset) + ": " + failure.message};
  }

  const InputAccess access_;
  const http::State state_;
  http::Url url_{};
  std::unique_ptr<http::RangedFile> remote_;
  std::unique_ptr<ReadAhead> ahead_;
  std::unique_ptr<WholeFile> whole_;  // of a server that cannot send parts
  bool has_parts_ = true;
  bool has_worked_ = false;  // the address
  std::uint64_t last_end_ = kNothingRead;
};

}  // namespace

Outcome<std::unique_ptr<StoredInput>> open_http_input(InputFile file, const InputAccess& access) {
  if (!access.roots.hold(file.path)) {
    return Fault{FaultKind::Input, "the input " + file.path + " is none of the addresses that this worker reads (" +
                                       access.roots.text() + "); give master and workers the same roots"};
  }
  auto input = std::make_unique<HttpInput>(std::move(file), access);
  if (auto found = input->find(); !found) return std::move(found).error();
  if (auto same = input->check_unchanged(); !same) return std::move(same).error();
  return std::unique_ptr<StoredInput>(std::move(input));
}

}  // namespace ontime::worker
