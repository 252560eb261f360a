// Whatever happens, the accounts balance to the byte and to the nanosecond.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/core/account.h"
#include "tests/scheduler/random_history.h"

namespace ontime::scheduler {
namespace {

void expect_balance(const JobAccount& account) {
  const ByteAccount& bytes = account.bytes;
  RC_ASSERT(bytes.mapped == bytes.useful + bytes.duplicated + bytes.dropped + bytes.open);
  const TimeAccount& time = account.time;
  RC_ASSERT(time.total == time.launch + time.standby + time.useful + time.duplicated + time.dropped + time.open);
  for (const Duration part :
       {time.launch, time.standby, time.useful, time.duplicated, time.dropped, time.open, account.saved.time}) {
    RC_ASSERT(part >= Duration(0));
  }
}

Duration machine_time(const Job& job, TimePoint now) {
  Duration sum{0};
  for (const Task& task : job.tasks.all()) {
    for (const Attempt& attempt : task.attempts) {
      sum += (is_live(attempt.state) ? now : attempt.ended_at) - attempt.launched_at;
    }
  }
  return sum;
}

// Of what counts.
std::uint64_t sealed_bytes(const Job& job) {
  std::uint64_t sum = 0;
  for (const Task& task : job.tasks.all()) {
    if (!task.is_left_out) sum += task.ledger.sealed_bytes();
  }
  return sum;
}

std::uint64_t mapped_bytes(const Job& job) {
  std::uint64_t sum = 0;
  for (const Task& task : job.tasks.all()) {
    for (const Attempt& attempt : task.attempts) {
      if (!attempt.standby) sum += attempt.offset - attempt.start_offset;  // a standby's worker may say what it likes
    }
  }
  return sum;
}

void expect_true_accounts(const Cluster& cluster, TimePoint now) {
  for (const auto& [id, job] : cluster.jobs()) {
    const JobAccount sum = account(job, now);
    expect_balance(sum);
    RC_ASSERT(sum.time.total == machine_time(job, now));
    RC_ASSERT(sum.bytes.mapped == mapped_bytes(job));
    RC_ASSERT(sum.bytes.useful == sealed_bytes(job));
    RC_ASSERT(sum.attempts == job.attempts_launched);
    RC_ASSERT(sum.resumed <= sum.attempts);
    RC_ASSERT(sum.saved.bytes <= sum.bytes.useful);
    RC_ASSERT(sum.saved.time <= sum.time.useful);
    RC_ASSERT(sum.speculative <= sum.attempts);
    if (is_final(job.state)) RC_ASSERT(sum.bytes.open == 0u);
    if (job.state == JobState::Succeeded && job.left_out.empty()) RC_ASSERT(sum.bytes.useful == job.input_bytes);
  }
}

RC_GTEST_PROP(AccountProperty, AnyHistoryBalancesAlways, ()) {
  test::RandomHistory history(*rc::gen::arbitrary<std::uint32_t>());
  const int steps = *rc::gen::inRange(0, 150);
  for (int i = 0; i < steps; ++i) {
    history.step();
    expect_true_accounts(history.world().cluster(), history.world().now());
  }
  history.settle();
  RC_ASSERT(history.all_ended());
  expect_true_accounts(history.world().cluster(), history.world().now());
}

}  // namespace
}  // namespace ontime::scheduler
