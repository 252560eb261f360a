#include "worker/agent/session/report_log.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace ontime::worker {
namespace {

wire::Report report_of(std::uint32_t task) {
  wire::Report report;
  report.mutable_attempt()->set_job(1);
  report.mutable_attempt()->set_task(task);
  report.mutable_started();
  return report;
}

std::vector<std::uint64_t> numbers(const wire::ToMaster::Reports& batch) {
  std::vector<std::uint64_t> result;
  for (const wire::Report& report : batch.reports()) result.push_back(report.sequence());
  return result;
}

TEST(ReportLog, NumbersReportsFromOneAndTellsItsListener) {
  ReportLog log;
  int told = 0;
  log.set_listener([&] { ++told; });
  log.append(report_of(0));
  log.append(report_of(1));
  EXPECT_EQ(told, 2);
  EXPECT_EQ(log.last(), 2u);
  EXPECT_EQ(numbers(log.take_unsent()), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_FALSE(log.has_unsent());
}

TEST(ReportLog, RefusesAnAcknowledgementOfWhatWasNeverReported) {
  ReportLog log;
  log.append(report_of(0));
  EXPECT_FALSE(log.acknowledge(2));
  EXPECT_EQ(log.unacknowledged().size(), 1u);
}

TEST(ReportLog, SendsALargeReportAlone) {
  ReportLog log;
  for (std::uint32_t i = 0; i < 3; ++i) {
    wire::Report report = report_of(i);
    report.mutable_ended()->set_stderr_tail(std::string(2 * ReportLog::kBatchBytes, 'x'));
    log.append(std::move(report));
  }
  EXPECT_EQ(log.take_unsent().reports_size(), 1);
  EXPECT_TRUE(log.has_unsent());
}

TEST(ReportLog, IsFullWhenNobodyAcknowledges) {
  ReportLog log;
  while (!log.is_full()) {
    wire::Report report = report_of(0);
    report.mutable_ended()->set_stderr_tail(std::string(1u << 20, 'x'));
    log.append(std::move(report));
  }
  EXPECT_TRUE(log.acknowledge(log.last()));
  EXPECT_FALSE(log.is_full());
  EXPECT_EQ(log.bytes(), 0u);
}

// Against a model: the numbers kept and the ones this session has sent.
RC_GTEST_PROP(ReportLogProperty, LosesNothingThatIsNotAcknowledgedAndKeepsTheOrder, ()) {
  ReportLog log;
  std::vector<std::uint64_t> kept;
  std::uint64_t sent = 0;
  const int steps = *rc::gen::inRange(0, 80);
  for (int step = 0; step < steps; ++step) {
    const std::uint64_t acknowledged = kept.empty() ? log.last() : kept.front() - 1;
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        log.append(report_of(static_cast<std::uint32_t>(step)));
        kept.push_back(log.last());
        break;
      case 1: {  // late and repeated acknowledgements included
        const auto up_to = *rc::gen::inRange<std::uint64_t>(0, log.last() + 1);
        RC_ASSERT(log.acknowledge(up_to).has_value());
        std::erase_if(kept, [&](std::uint64_t number) { return number <= up_to; });
        sent = std::max(sent, up_to);
        break;
      }
      case 2:
        log.rewind();
        sent = acknowledged;
        break;
      case 3: {
        const auto batch = numbers(log.take_unsent(*rc::gen::inRange<std::size_t>(0, 100)));
        RC_ASSERT(batch.empty() == (sent == log.last()));
        for (const std::uint64_t number : batch) RC_ASSERT(number == ++sent);
        break;
      }
    }
    RC_ASSERT(log.has_unsent() == (sent < log.last()));
    RC_ASSERT(log.unacknowledged().size() == kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) RC_ASSERT(log.unacknowledged()[i].sequence() == kept[i]);
    RC_ASSERT((log.bytes() == 0) == kept.empty());
  }
}

}  // namespace
}  // namespace ontime::worker
