#include "scheduler/core/account.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ontime::scheduler {
namespace {

// What becomes of work that the attempt itself has not sealed: where its bytes and its time are counted.
struct Unsealed {
  std::uint64_t ByteAccount::*bytes;
  Duration TimeAccount::*time;
};
constexpr Unsealed kDuplicated{&ByteAccount::duplicated, &TimeAccount::duplicated};
constexpr Unsealed kDropped{&ByteAccount::dropped, &TimeAccount::dropped};
constexpr Unsealed kOpen{&ByteAccount::open, &TimeAccount::open};

template <class Sums, class... Fields>
Sums& add(Sums& sums, const Sums& other, Fields... fields) {
  ((sums.*fields += other.*fields), ...);
  return sums;
}

class AttemptAccount {
 public:
  AttemptAccount(const Task& task, std::uint32_t number, TimePoint now)
      : task_(task), number_(number), attempt_(task.attempts[number]), now_(now) {}

  JobAccount compute() {
    account_.attempts = 1;
    account_.speculative = attempt_.speculative ? 1 : 0;
    divide_bytes();
    divide_time();
    find_saving();
    return account_;
  }

 private:
  TimePoint end() const { return is_live(attempt_.state) ? now_ : attempt_.ended_at; }
  bool has_mapped() const { return attempt_.offset > attempt_.start_offset; }

  // Whether another attempt that was there before this one ended has sealed the segment or is still at it.
  bool is_covered(const Segment& segment) const {
    if (segment.sealed) return task_.attempts[segment.attempt].launched_at < end();
    return std::any_of(task_.attempts.begin(), task_.attempts.end(), [&](const Attempt& other) {
      return &other != &attempt_ && !other.standby && other.holds(segment.range.begin) && other.launched_at < end();
    });
  }

  Unsealed unsealed_in(const Segment& segment) const {
    if (task_.is_left_out) return kDropped;
    if (is_live(attempt_.state)) return segment.sealed ? kDuplicated : kOpen;
    if (attempt_.state == AttemptState::Failed || attempt_.state == AttemptState::Lost) return kDropped;
    return is_covered(segment) ? kDuplicated : kDropped;
  }

  void divide_bytes() {
    ByteAccount& bytes = account_.bytes;
    if (attempt_.standby || !has_mapped()) return;
    bytes.mapped = attempt_.offset - attempt_.start_offset;
    const std::vector<Segment>& segments = task_.ledger.segments();
    const Segment* segment = task_.ledger.containing(attempt_.start_offset);
    std::uint64_t at = attempt_.start_offset;
    for (; segment != nullptr && segment != segments.data() + segments.size() && at < attempt_.offset; ++segment) {
      const std::uint64_t to = std::min(attempt_.offset, segment->range.end);
      if (segment->sealed && segment->attempt == number_ && !task_.is_left_out)
        bytes.useful += to - at;
      else
        account_.bytes.*unsealed_in(*segment).bytes += to - at;
      at = to;
    }
    // Behind the end that a compressed stream turned out to have.
    if (at < attempt_.offset) account_.bytes.dropped += attempt_.offset - at;
  }

  void divide_time() {
    TimeAccount& time = account_.time;
    time.total = std::max(Duration(0), end() - attempt_.launched_at);
    Duration left = time.total;
    const auto take = [&](Duration wanted) {
      const Duration taken = std::clamp(wanted, Duration(0), left);
      left -= taken;
      return taken;
    };
    const bool is_ready = attempt_.ready_at != TimePoint{};
    const bool is_started = attempt_.started_at != TimePoint{};
    if (is_ready) {
      time.launch = take(attempt_.ready_at - attempt_.launched_at);
      time.standby = take((is_started ? attempt_.started_at : end()) - attempt_.ready_at);
    } else if (!has_mapped() && attempt_.state != AttemptState::Succeeded) {
      time.launch = take(left);
    }
    divide_work(left);
  }

  // In proportion to the bytes, to the nanosecond: the last part is what remains.
  void divide_work(Duration work) {
    TimeAccount& time = account_.time;
    const ByteAccount& bytes = account_.bytes;
    if (bytes.mapped == 0) {
      const Segment* segment = task_.ledger.containing(attempt_.held.begin);
      if (task_.is_left_out)
        time.dropped = work;
      else if (attempt_.state == AttemptState::Succeeded || segment == nullptr)
        time.useful = work;
      else
        time.*unsealed_in(*segment).time = work;
      return;
    }
    Duration left = work;
    std::uint64_t bytes_left = bytes.mapped;
    const std::pair<std::uint64_t, Duration*> parts[] = {{bytes.useful, &time.useful},
                                                         {bytes.duplicated, &time.duplicated},
                                                         {bytes.dropped, &time.dropped},
                                                         {bytes.open, &time.open}};
    for (const auto& [part, to] : parts) {
      *to = bytes_left == part ? left : share(left, part, bytes_left);
      left -= *to;
      bytes_left -= part;
    }
  }

  static Duration share(Duration whole, std::uint64_t part, std::uint64_t of) {
    const double exact = static_cast<double>(whole.count()) * (static_cast<double>(part) / static_cast<double>(of));
    return std::clamp(Duration(static_cast<Duration::rep>(exact)), Duration(0), whole);
  }

  // What an attempt was spared counts once. Of attempts that race only the winner counts. What it was spared lies
  // directly before its begin, without a gap, and was sealed by earlier attempts that were launched on a range in which
  // this one begins: the pieces of a divided task do not spare each other anything. It reaches back to the begin of the
  // attempt that sealed it, because that attempt was spared what lies before.
  void find_saving() {
    const std::uint64_t mapped = account_.bytes.mapped;
    const Segment* const first = task_.ledger.find(attempt_.start_offset);
    if (mapped == 0 || first == nullptr || !first->sealed || first->attempt != number_ || task_.is_left_out) return;
    std::map<std::uint32_t, std::uint64_t> by_sealer;
    const std::vector<Segment>& segments = task_.ledger.segments();
    for (const Segment* segment = first; segment != segments.data();) {
      --segment;
      const bool is_continued = segment->sealed && segment->attempt < number_ &&
                                task_.attempts[segment->attempt].launch_end > attempt_.start_offset;
      if (!is_continued) break;
      by_sealer[segment->attempt] += segment->range.size();
      if (segment->range.begin == task_.attempts[segment->attempt].start_offset) break;
    }
    Duration done{0};
    for (const auto& [sealer, bytes] : by_sealer) {
      account_.saved.bytes += bytes;
      done += taken_for(bytes, sealer);
    }
    if (account_.saved.bytes == 0) return;
    account_.resumed = 1;
    const TimeAccount& time = account_.time;
    const double work = seconds(time.total - time.launch - time.standby);
    const double own = work * (static_cast<double>(account_.saved.bytes) / static_cast<double>(mapped));
    account_.saved.time = std::min(from_seconds(own), done);
  }

  // By the attempt that has sealed them.
  Duration taken_for(std::uint64_t sealed_bytes, std::uint32_t number) const {
    AttemptAccount sealer(task_, number, now_);
    sealer.divide_bytes();
    sealer.divide_time();
    const JobAccount& known = sealer.account_;
    return share(known.time.useful, sealed_bytes, std::max<std::uint64_t>(1, known.bytes.useful));
  }

  const Task& task_;
  const std::uint32_t number_;
  const Attempt& attempt_;
  const TimePoint now_;
  JobAccount account_;
};

}  // namespace

ByteAccount& ByteAccount::operator+=(const ByteAccount& other) {
  return add(*this, other, &ByteAccount::mapped, &ByteAccount::useful, &ByteAccount::duplicated, &ByteAccount::dropped,
             &ByteAccount::open);
}

TimeAccount& TimeAccount::operator+=(const TimeAccount& other) {
  return add(*this, other, &TimeAccount::total, &TimeAccount::launch, &TimeAccount::standby, &TimeAccount::useful,
             &TimeAccount::duplicated, &TimeAccount::dropped, &TimeAccount::open);
}

Saving& Saving::operator+=(const Saving& other) { return add(*this, other, &Saving::bytes, &Saving::time); }

JobAccount& JobAccount::operator+=(const JobAccount& other) {
  return add(*this, other, &JobAccount::bytes, &JobAccount::time, &JobAccount::saved, &JobAccount::attempts,
             &JobAccount::speculative, &JobAccount::resumed);
}

JobAccount account(const Task& task, std::uint32_t attempt, TimePoint now) {
  return AttemptAccount(task, attempt, now).compute();
}

JobAccount account(const Task& task, TimePoint now) {
  JobAccount sum;
  for (std::uint32_t number = 0; number < task.attempts.size(); ++number) sum += account(task, number, now);
  return sum;
}

JobAccount account(const Job& job, TimePoint now) {
  JobAccount sum;
  for (const Task& task : job.tasks.made()) sum += account(task, now);
  return sum;
}

}  // namespace ontime::scheduler
